import type { TurnStatus } from './records.js';

// Has no zod, for the page: with a schema in the same file, the page's bundle would contain all of zod.

/** The cached statuses that are an end: once stored, no other status replaces them. */
export const ENDED_STATUSES = ['completed', 'failed', 'cancelled'] as const satisfies readonly TurnStatus[];
export const UNENDED_STATUSES = [
  'queued',
  'running',
  'awaiting_input',
] as const satisfies readonly TurnStatus[];

export function isEndedStatus(status: TurnStatus): boolean {
  return (ENDED_STATUSES as readonly TurnStatus[]).includes(status);
}
