import type { CallView } from '#contracts';
import { isOpen } from '../format/call-text.js';

/** The start and end of the calls of a step, ms since epoch on the server's clock. */
export interface Span {
  from: number;
  to: number;
}

/** Undefined if it never ran: attempt 0 means that no worker ever claimed it. */
export function startOf(call: CallView): number | undefined {
  if (call.attempt === 0) return undefined;
  if (call.started_at !== undefined) return Date.parse(call.started_at);
  if (call.ended_at === undefined || call.duration_ms === undefined) return undefined;
  return Date.parse(call.ended_at) - call.duration_ms;
}

export function endOf(call: CallView): number | undefined {
  if (call.ended_at !== undefined) return Date.parse(call.ended_at);
  const start = startOf(call);
  return start === undefined || call.duration_ms === undefined ? undefined : start + call.duration_ms;
}

/** The milliseconds that a call ran, or has been running at `now`; undefined if it never started. */
export function ranMs(call: CallView, now: number): number | undefined {
  const start = startOf(call);
  if (start === undefined) return undefined;
  if (call.duration_ms !== undefined && !isOpen(call)) return call.duration_ms;
  return Math.max(0, (endOf(call) ?? now) - start);
}

/** The scale of a step's lanes: first start to last end, or to `now` while a call is open. */
export function spanOf(calls: CallView[], now: number): Span | undefined {
  const starts = calls.map(startOf).filter((at) => at !== undefined);
  if (starts.length === 0) return undefined;
  const from = Math.min(...starts);
  const ends = calls.map((call) => (isOpen(call) ? now : (endOf(call) ?? from)));
  return { from, to: Math.max(from, ...ends) };
}

/** The position of a moment in the span, 0 to 100. */
export function percentOf(at: number, span: Span): number {
  if (span.to <= span.from) return at <= span.from ? 0 : 100;
  return Math.min(100, Math.max(0, (100 * (at - span.from)) / (span.to - span.from)));
}
