import type { ConversationEvent } from '#contracts';
import { timestampOf, type Clock } from '#time';

interface Waiting {
  place: { conversation_id: string; turn_id: string };
  emit: (event: ConversationEvent) => void;
}

/** Tells viewers why nothing is being written for so long. */
export function emitWaiting(
  clock: Pick<Clock, 'wall'>,
  { place, emit }: Waiting,
  reason: string,
  retryAfterMs: number,
): void {
  const { conversation_id, turn_id } = place;
  const timestamp = timestampOf(clock);
  emit({ type: 'waiting', conversation_id, turn_id, timestamp, reason, retry_after_ms: retryAfterMs });
}
