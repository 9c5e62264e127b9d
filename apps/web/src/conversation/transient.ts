import type { ConversationEvent, Snapshot } from '#contracts';

/**
 * Transient state that is worth showing but is not part of the view. Losing it does no harm, so it is never read again,
 * and a snapshot clears it.
 */
export interface Transient {
  /** By tool call id. */
  progress: Readonly<Record<string, { progress: number; total?: number; message?: string }>>;
  /** Why the model is silent. `until`: when it is asked again, on the server's clock; absent if it is at work. */
  waiting?: { turnId: string; reason: string; until?: number };
  /** The step whose text was dropped and starts again. */
  restarted?: { turnId: string; step: number };
}

export const noTransient: Transient = { progress: {} };

type AnyEvent = ConversationEvent | Snapshot;

/** These events end the model's previous activity. */
const moving = new Set<AnyEvent['type']>(['token', 'turn_queued', 'turn_started', 'step_started']);
/** After these events, none of it is worth showing. */
const closing = new Set<AnyEvent['type']>(['step_committed', 'complete', 'cancelled', 'error', 'snapshot']);

export function reduceTransient(transient: Transient, event: AnyEvent): Transient {
  if (closing.has(event.type)) return noTransient;
  if (moving.has(event.type)) return isStill(transient) ? transient : { progress: transient.progress };
  if (event.type === 'tool_progress') {
    const { progress, total, message } = event;
    return {
      ...transient,
      progress: { ...transient.progress, [event.tool_call_id]: { progress, total, message } },
    };
  }
  if (event.type === 'thinking') return transient.waiting ? { ...transient, waiting: undefined } : transient;
  if (event.type === 'waiting') {
    const { turn_id: turnId, reason, retry_after_ms: waitMs } = event;
    const until = waitMs > 0 ? { until: Date.parse(event.timestamp) + waitMs } : {};
    return { ...transient, waiting: { turnId, reason, ...until } };
  }
  if (event.type === 'step_restarted') {
    return { ...transient, restarted: { turnId: event.turn_id, step: event.step } };
  }
  return transient;
}

function isStill({ waiting, restarted }: Transient): boolean {
  return !waiting && !restarted;
}
