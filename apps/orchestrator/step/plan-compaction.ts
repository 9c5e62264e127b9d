import type { Step } from '#contracts';
import { compacted, compactionOf, shortenResults, tokensOfMessages, type ModelMessage } from '#turn';

export interface CompactionInput {
  /** Before the turn. */
  history: ModelMessage[];
  /** Of the turn so far. */
  steps: readonly Step[];
  /** Of the request without the history. */
  ownTokens: number;
  /** Of the model; undefined: nobody knows. */
  windowTokens: number | undefined;
  maxOutputTokens: number;
}

/** Whoever has made room keeps it for a while: each time the provider's cache is lost. */
const SHORTENED_SHARE = 0.7;
/** Of the window, for the answer and the calls of the turn. */
const MAX_RESERVE = 0.25;
const MAX_SUMMARY_TOKENS = 6_000;
const SUMMARY_SHARE = 1 / 8;

/** Tokens that a summary may have. */
export function summaryTokens(windowTokens: number | undefined): number {
  if (windowTokens === undefined) return MAX_SUMMARY_TOKENS;
  return Math.min(MAX_SUMMARY_TOKENS, Math.floor(windowTokens * SUMMARY_SHARE));
}

/** Tokens that a request may have, so that the answer still fits; undefined when nobody knows. */
export function requestLimit(windowTokens: number | undefined, maxOutputTokens: number): number | undefined {
  if (windowTokens === undefined) return undefined;
  return windowTokens - Math.min(maxOutputTokens, Math.floor(windowTokens * MAX_RESERVE));
}

/** What is to be done before the turn's first model step, so that the request fits into the model's window. */
export function planCompaction(input: CompactionInput): 'none' | 'shorten' | 'summarise' {
  const { history, steps, ownTokens, windowTokens, maxOutputTokens } = input;
  const limit = requestLimit(windowTokens, maxOutputTokens);
  if (limit === undefined || !mayCompact(input)) return 'none';
  if (ownTokens + tokensOfMessages(compacted(history, steps)) <= limit) return 'none';
  // Then nothing helps: the provider says whether it really is too much.
  if (ownTokens + summaryTokens(windowTokens) > limit) return 'none';
  const isShortened = compactionOf(steps) !== undefined;
  const shortened = ownTokens + tokensOfMessages(shortenResults(history));
  return !isShortened && shortened <= limit * SHORTENED_SHARE ? 'shorten' : 'summarise';
}

/** Whether shortened results would do where no summary can be had; without a known window that is to be tried. */
export function mayShortenInstead(input: CompactionInput): boolean {
  const { history, steps, ownTokens, windowTokens, maxOutputTokens } = input;
  if (compactionOf(steps) !== undefined) return false;
  const shortened = tokensOfMessages(shortenResults(history));
  const limit = requestLimit(windowTokens, maxOutputTokens) ?? Infinity;
  return shortened < tokensOfMessages(history) && ownTokens + shortened <= limit;
}

/** Between turns only, and never twice: what a summary leaves is the turn's own. */
export function mayCompact({ history, steps }: Pick<CompactionInput, 'history' | 'steps'>): boolean {
  const hasBegun = steps.some((step) => step.kind === 'model');
  return history.length > 0 && !hasBegun && compactionOf(steps)?.how !== 'summarised';
}
