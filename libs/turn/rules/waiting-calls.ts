import type { Journal } from '#contracts';
import { holderOf, openCalls, waitsForPerson } from '../journal/journal.js';

/** A call that waits for a worker. */
export interface WaitingCall {
  tool_name: string;
  /** Milliseconds since the epoch. */
  since: number;
}

/**
 * The calls that wait for a worker: not claimed, not for a person to decide. `releasedAt`: the time until which a call
 * was held back; calls that are still held back (`Infinity`) are in no queue.
 */
export function waitingCalls(
  journal: Journal,
  releasedAt: (toolCallId: string) => number | undefined,
): WaitingCall[] {
  return openCalls(journal)
    .filter(({ call }) => !holderOf(journal, call.tool_call_id) && !waitsForPerson(journal, call))
    .map(({ step, call }) => ({
      tool_name: call.tool_name,
      since: Math.max(Date.parse(step.at), releasedAt(call.tool_call_id) ?? 0),
    }))
    .filter(({ since }) => since < Infinity);
}
