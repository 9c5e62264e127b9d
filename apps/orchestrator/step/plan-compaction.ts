import type { Step } from '#contracts';
import { compacted, compactionOf, shortenResults, tokensOfMessages, type ModelMessage } from '#turn';

export interface CompactionInput {
  /** Before the turn. */
  history: ModelMessage[];
  /** Of the turn so far. */
  steps: readonly Step[];
  /** Of the request without the history. */
  ownTokens: number;
  /** The model's context window; undefined if unknown. */
  windowTokens: number | undefined;
  maxOutputTokens: number;
}

/** Shortening must free enough room for a while, because each time the provider's cache is lost. */
const SHORTENED_SHARE = 0.7;
/** The part of the window for the answer and the calls of the turn. */
const MAX_RESERVE = 0.25;
const MAX_SUMMARY_TOKENS = 6_000;
const SUMMARY_SHARE = 1 / 8;

/** The largest number of tokens of a summary. */
export function summaryTokens(windowTokens: number | undefined): number {
  if (windowTokens === undefined) return MAX_SUMMARY_TOKENS;
  return Math.min(MAX_SUMMARY_TOKENS, Math.floor(windowTokens * SUMMARY_SHARE));
}

/** The largest number of tokens of a request, so that the answer still fits; undefined if the window is unknown. */
export function requestLimit(windowTokens: number | undefined, maxOutputTokens: number): number | undefined {
  if (windowTokens === undefined) return undefined;
  return windowTokens - Math.min(maxOutputTokens, Math.floor(windowTokens * MAX_RESERVE));
}

/** The action before the turn's first model step that makes the request fit into the model's window. */
export function planCompaction(input: CompactionInput): 'none' | 'shorten' | 'summarise' {
  const { history, steps, ownTokens, windowTokens, maxOutputTokens } = input;
  const limit = requestLimit(windowTokens, maxOutputTokens);
  if (limit === undefined || !mayCompact(input)) return 'none';
  if (ownTokens + tokensOfMessages(compacted(history, steps)) <= limit) return 'none';
  // Nothing helps then; the provider says whether the request really is too long.
  if (ownTokens + summaryTokens(windowTokens) > limit) return 'none';
  const isShortened = compactionOf(steps) !== undefined;
  const shortened = ownTokens + tokensOfMessages(shortenResults(history));
  return !isShortened && shortened <= limit * SHORTENED_SHARE ? 'shorten' : 'summarise';
}

/** Whether shortened results are enough where no summary is available. If the window is unknown, they are tried. */
export function mayShortenInstead(input: CompactionInput): boolean {
  const { history, steps, ownTokens, windowTokens, maxOutputTokens } = input;
  if (compactionOf(steps) !== undefined) return false;
  const shortened = tokensOfMessages(shortenResults(history));
  const limit = requestLimit(windowTokens, maxOutputTokens) ?? Infinity;
  return shortened < tokensOfMessages(history) && ownTokens + shortened <= limit;
}

/** Only between turns, and never twice: after a summary, only the turn's own messages are left. */
export function mayCompact({ history, steps }: Pick<CompactionInput, 'history' | 'steps'>): boolean {
  const hasBegun = steps.some((step) => step.kind === 'model');
  return history.length > 0 && !hasBegun && compactionOf(steps)?.how !== 'summarised';
}
