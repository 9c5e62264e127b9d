import type { ConversationEvent } from '#contracts';

interface Waiting {
  place: { conversation_id: string; turn_id: string };
  emit: (event: ConversationEvent) => void;
}

/** Tells viewers why nothing is being written for so long. */
export function emitWaiting({ place, emit }: Waiting, reason: string, retryAfterMs: number): void {
  const { conversation_id, turn_id } = place;
  const timestamp = new Date().toISOString();
  emit({ type: 'waiting', conversation_id, turn_id, timestamp, reason, retry_after_ms: retryAfterMs });
}
