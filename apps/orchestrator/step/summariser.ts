import { addUsage, estimateTokens, textOf, type ModelMessage } from '#turn';
import { requestLimit, summaryTokens } from './find-room.js';
import { retriesUpTo } from '../ask/stream-with-fallbacks.js';
import { summaryRequest } from './summary-request.js';
import type { Asked, ModelAsker } from './model-asker.js';

export type Asking = Omit<Asked, 'request'>;

export interface SummaryLimits {
  /** Of the model; undefined: nobody knows. */
  windowTokens: number | undefined;
  /** Of a request that the provider found too long; infinite if none was. */
  refusedTokens: number;
  /** Of the answer that is to follow. */
  maxOutputTokens: number;
}

type Answer = Awaited<ReturnType<ModelAsker['ask']>>;

const SHARE_OF_REFUSED = 0.5;
const MAX_HALVINGS = 4;
/** Models that reason may spend all that a summary was given before they write a word of it. */
const MORE_ROOM = 4;
const MAX_SHARE = 1 / 4;

/** Has a history summarised by the models of a turn, unseen by viewers. */
export class Summariser {
  constructor(
    private readonly asker: Pick<ModelAsker, 'ask' | 'candidates'>,
    private readonly claimAttempt: number,
  ) {}

  /** The one that is asked first in front. */
  get candidates(): string[] {
    return this.asker.candidates;
  }

  /** An answer without a text was asked for twice: the second time with more room, and as little reasoning as may be. */
  async summarise(asking: Asking, history: ModelMessage[], limits: SummaryLimits): Promise<Answer> {
    const { windowTokens = Infinity } = limits;
    const outputTokens = summaryTokens(limits.windowTokens);
    const first = await this.askWithin(asking, history, limits, outputTokens);
    if (!isEmpty(first)) return first;
    const retriesBefore = retriesUpTo(first.streamed, this.claimAttempt);
    const more = Math.min(outputTokens * MORE_ROOM, Math.floor(windowTokens * MAX_SHARE));
    const again = { ...asking, retriesBefore, prepare: withLeastReasoning };
    return withUsageOf(first, await this.askWithin(again, history, limits, more));
  }

  private askWithin(
    asking: Asking,
    history: ModelMessage[],
    { windowTokens, refusedTokens, maxOutputTokens }: SummaryLimits,
    outputTokens: number,
  ): Promise<Answer> {
    const known = requestLimit(windowTokens, Math.max(outputTokens, maxOutputTokens)) ?? Infinity;
    const inputTokens = Math.min(known, refusedTokens * SHARE_OF_REFUSED);
    return this.ask(asking, history, { inputTokens, outputTokens });
  }

  /** What the provider finds too long is halved until it fits: there is no other way to learn what does. */
  private async ask(
    asking: Asking,
    history: ModelMessage[],
    limits: { inputTokens: number; outputTokens: number },
    halvings = MAX_HALVINGS,
  ): Promise<Answer> {
    const request = summaryRequest(history, limits);
    const answer = await this.asker.ask({
      ...asking,
      request,
      // What is said here is no part of the answer.
      emit: (event) => {
        if (event.type !== 'token' && event.type !== 'thinking') asking.emit(event);
      },
      onAttempt: ({ attempt }) => asking.onAttempt({ attempt, text: '' }),
    });
    const { streamed } = answer;
    const isTooLong = streamed.ended === 'failed' && streamed.error.kind === 'context_overflow';
    if (!isTooLong || halvings === 0) return answer;
    const retriesBefore = retriesUpTo(streamed, this.claimAttempt);
    const fewer = { ...limits, inputTokens: estimateTokens(request) * SHARE_OF_REFUSED };
    return withUsageOf(answer, await this.ask({ ...asking, retriesBefore }, history, fewer, halvings - 1));
  }
}

const withLeastReasoning: NonNullable<Asked['prepare']> = (request) => ({ ...request, reasoning: 'least' });

function isEmpty({ streamed }: Answer): boolean {
  return streamed.ended === 'answered' && streamed.stopReason !== 'refusal' && textOf(streamed).trim() === '';
}

function withUsageOf(before: Answer, { model, streamed }: Answer): Answer {
  return { model, streamed: { ...streamed, usage: addUsage(before.streamed.usage, streamed.usage) } };
}
