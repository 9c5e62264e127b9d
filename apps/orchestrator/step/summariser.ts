import { addUsage, estimateTokens, textOf, type ModelMessage } from '#turn';
import { readParts, retriesUpTo, type ModelAnswer } from '../ask/model-answer.js';
import { requestLimit, summaryTokens } from './plan-compaction.js';
import type { StepInProgress } from './step-viewers.js';
import { summaryRequest } from './summary-request.js';
import type { AskOptions, TurnModels } from './turn-models.js';

interface Asking extends AskOptions {
  viewers: Pick<StepInProgress['viewers'], 'followUnseen'>;
}

export interface SummaryLimits {
  /** The model's context window; undefined if unknown. */
  windowTokens: number | undefined;
  /** The tokens of a request that the provider refused as too long; infinite if there was none. */
  refusedTokens: number;
  /** The output limit of the answer that follows. */
  maxOutputTokens: number;
}

const SHARE_OF_REFUSED = 0.5;
const MAX_HALVINGS = 4;
/** Reasoning models may use up the whole output limit before they write a word of the summary. */
const MORE_ROOM = 4;
const MAX_SHARE = 1 / 4;

/** Asks the models of a turn to summarise a history, unseen by viewers. */
export class Summariser {
  constructor(
    private readonly models: Pick<TurnModels, 'ask' | 'candidates' | 'count'>,
    private readonly claimAttempt: number,
  ) {}

  /** In the order in which they are asked. */
  get candidates(): string[] {
    return this.models.candidates;
  }

  /** An answer without text is requested a second time, with more room and as little reasoning as possible. */
  async summarise(asking: Asking, history: ModelMessage[], limits: SummaryLimits): Promise<ModelAnswer> {
    const { windowTokens = Infinity } = limits;
    const outputTokens = summaryTokens(limits.windowTokens);
    const first = await this.askWithin(asking, history, limits, outputTokens);
    if (!isEmpty(first)) return first;
    const retriesBefore = retriesUpTo(first, this.claimAttempt);
    const more = Math.min(outputTokens * MORE_ROOM, Math.floor(windowTokens * MAX_SHARE));
    const again = { ...asking, retriesBefore, adapt: withLeastReasoning };
    return withUsageOf(first, await this.askWithin(again, history, limits, more));
  }

  private askWithin(
    asking: Asking,
    history: ModelMessage[],
    { windowTokens, refusedTokens, maxOutputTokens }: SummaryLimits,
    outputTokens: number,
  ): Promise<ModelAnswer> {
    const known = requestLimit(windowTokens, Math.max(outputTokens, maxOutputTokens)) ?? Infinity;
    const inputTokens = Math.min(known, refusedTokens * SHARE_OF_REFUSED);
    return this.ask(asking, history, { inputTokens, outputTokens });
  }

  /**
   * A history that the provider finds too long is halved until it fits, because there is no other way to learn its
   * limit.
   */
  private async ask(
    asking: Asking,
    history: ModelMessage[],
    limits: { inputTokens: number; outputTokens: number },
    halvings = MAX_HALVINGS,
  ): Promise<ModelAnswer> {
    const request = summaryRequest(history, limits);
    const parts = this.models.ask(request, asking);
    const answer = await readParts(parts, [asking.viewers.followUnseen, this.models.count]);
    const isTooLong = answer.ended === 'failed' && answer.error.kind === 'context_overflow';
    if (!isTooLong || halvings === 0) return answer;
    const retriesBefore = retriesUpTo(answer, this.claimAttempt);
    const fewer = { ...limits, inputTokens: estimateTokens(request) * SHARE_OF_REFUSED };
    return withUsageOf(answer, await this.ask({ ...asking, retriesBefore }, history, fewer, halvings - 1));
  }
}

const withLeastReasoning: NonNullable<AskOptions['adapt']> = (request) => ({
  ...request,
  reasoning: 'least',
});

function isEmpty(answer: ModelAnswer): boolean {
  return answer.ended === 'answered' && answer.stopReason !== 'refusal' && textOf(answer).trim() === '';
}

function withUsageOf(before: ModelAnswer, answer: ModelAnswer): ModelAnswer {
  return { ...answer, usage: addUsage(before.usage, answer.usage) };
}
