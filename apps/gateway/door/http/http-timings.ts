import { BODY_PACE, type BodyPace } from './slow-bodies.js';

/** Milliseconds. */
export interface HttpTimings {
  /** From a connection's start, or a request's first byte, to the end of the headers. */
  headersMs: number;
  body: BodyPace;
  /** Without a byte of an answer being taken; of strangers, whose places are few. */
  answerMs: number;
  strangersAnswerMs: number;
  /** For the whole of an answer to a stranger. The page's largest file has half a megabyte. */
  strangersWholeAnswerMs: number;
  /** How often headers and bodies are looked at. */
  lookMs: number;
}

export const DEFAULT_HTTP_TIMINGS: HttpTimings = {
  headersMs: 10_000,
  body: BODY_PACE,
  answerMs: 60_000,
  strangersAnswerMs: 10_000,
  strangersWholeAnswerMs: 120_000,
  lookMs: 1_000,
};
