import type { Journal } from '#contracts';
import { claimsOn, totalUsage } from '../journal/journal.js';

export interface Budgets {
  steps: number;
  /** Since the later of the turn's first claim and the last answer of a person. */
  turnMs: number;
  outputTokens: number;
  parallelCalls: number;
  /** Claims within `takeoverWindowMs` of each other, without progress, that end the turn. */
  takeovers: number;
  takeoverWindowMs: number;
  /** How many workers may try one call. */
  callAttempts: number;
  /** Retries within one step, after the first request to the model. */
  modelRetries: number;
  /** Retries of an overloaded model when there is another model to ask; never more than `modelRetries`. */
  overloadRetries: number;
  /** How long a call may wait in its queue, on top of its own timeout. */
  queueingMs: number;
  /** How long a call waits for a person's approval. */
  approvalMs: number;
  /** How many calls of one tool with the same arguments run in a turn; further ones are refused. */
  identicalCalls: number;
  /** Calls of the sequential-thinking tool in a turn. */
  thinkingCalls: number;
}

export const DEFAULT_BUDGETS: Budgets = {
  steps: 25,
  turnMs: 600_000,
  outputTokens: 200_000,
  parallelCalls: 16,
  takeovers: 5,
  takeoverWindowMs: 60_000,
  callAttempts: 3,
  modelRetries: 5,
  overloadRetries: 1,
  queueingMs: 60_000,
  approvalMs: 7 * 24 * 3_600_000,
  identicalCalls: 2,
  thinkingCalls: 20,
};

/** When the turn's time is up, ms since epoch; undefined while no clock runs. */
export function timeLimit(journal: Journal, budgets: Budgets): number | undefined {
  const first = claimsOn(journal, journal.turn._id)[0];
  if (!first) return undefined;
  // A tool's question is also a row, but not a person's answer.
  const answers = journal.answers.filter((answer) => answer.question === undefined);
  return Math.max(Date.parse(first.at), ...answers.map((answer) => Date.parse(answer.at))) + budgets.turnMs;
}

/**
 * The sentence for a turn whose time is up. No clock runs while the turn is in line, and parked turns are not checked.
 */
export function timeExceeded(journal: Journal, budgets: Budgets, now: number): string | undefined {
  const limit = timeLimit(journal, budgets);
  if (limit === undefined || now < limit) return undefined;
  return `Stopped at the limit of ${formatMinutes(budgets.turnMs)}. Send a message to continue.`;
}

/** The sentence for a turn that may not call the model again. */
export function countExceeded(journal: Journal, budgets: Budgets): string | undefined {
  const steps = journal.steps.filter((step) => step.kind === 'model');
  if (steps.length >= budgets.steps)
    return `Stopped at the limit of ${budgets.steps} steps. Send a message to continue.`;
  if (totalUsage(steps).output_tokens < budgets.outputTokens) return undefined;
  return `Stopped at the limit of ${budgets.outputTokens} output tokens. Send a message to continue.`;
}

function formatMinutes(ms: number): string {
  if (ms === 60_000) return '1 minute';
  return ms % 60_000 === 0 ? `${ms / 60_000} minutes` : `${Math.round(ms / 1000)} seconds`;
}
