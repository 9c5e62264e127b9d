import type { TurnStatus } from './records.js';

// Without zod, for the page: with a schema in the same file its bundle would hold all of zod.

/** The cached statuses that are an end: once stored, no other replaces them. */
export const ENDED_STATUSES = ['completed', 'failed', 'cancelled'] as const satisfies readonly TurnStatus[];
export const UNENDED_STATUSES = [
  'queued',
  'running',
  'awaiting_input',
] as const satisfies readonly TurnStatus[];

export function isEndedStatus(status: TurnStatus): boolean {
  return (ENDED_STATUSES as readonly TurnStatus[]).includes(status);
}
