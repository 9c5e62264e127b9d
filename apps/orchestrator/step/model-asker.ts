import { useOfModel } from '#bootstrap';
import type { ConversationEvent } from '#contracts';
import { findModelRefusal, ModelError, type Model, type ModelRequest } from '#llm';
import { NO_USAGE, stepAttempt, withoutForeignThinking } from '#turn';
import type { Permit } from '../admission/model-admission.js';
import type { ModelLimits } from '../admission/model-limits.js';
import type { DrivingDeps } from '../work/driving.deps.js';
import { asksModel } from './asks-model.js';
import { emitWaiting } from '../ask/emit-waiting.js';
import { directCall } from '../ask/direct-call.js';
import { givenAnswer } from '../ask/given-answer.js';
import { countCost } from '../ask/model-cost.js';
import { candidateModels } from '../ask/model-choice.js';
import type { Progress } from '../ask/attempt-run.js';
import type { Streamed } from '../ask/stream-step.js';
import { streamWithFallbacks } from '../ask/stream-with-fallbacks.js';
import type { StepPlace } from '../ask/token-stream.js';
import type { TurnUsage } from '../work/turn-usage.js';
import type { TurnWork } from '../work/turn-work.js';

const WAITS_FOR_OTHERS =
  'What is left of your budget for today is held by your other answers; this one goes on after them.';
const OUTCOMES = { answered: 'ok', failed: 'error', aborted: 'aborted' };

export interface Asked {
  place: Omit<StepPlace, 'attempt'>;
  request: Omit<ModelRequest, 'model'>;
  /** What becomes of the request for the model that is asked. */
  prepare?: (request: ModelRequest) => ModelRequest;
  signal: AbortSignal;
  emit: (event: ConversationEvent) => void;
  onAttempt: (progress: Progress) => void;
  /** Attempts of the step that viewers have seen already. */
  retriesBefore?: number;
}

/** Asks the models of a turn: the chosen one, and those that stand in for it. */
export class ModelAsker {
  constructor(
    private readonly deps: DrivingDeps,
    private readonly work: TurnWork,
    private readonly usage: TurnUsage,
  ) {}

  /** The one that is asked first in front. */
  get candidates(): string[] {
    const { turn, steps } = this.work.memory.journal;
    const { chosen } = this;
    return asksModel(turn.options) ? candidateModels(chosen, steps, this.deps.settings) : [chosen];
  }

  /** By the message, the conversation or the deployment. */
  private get chosen(): string {
    const { memory, conversation } = this.work;
    return memory.journal.turn.options.model ?? conversation.model ?? this.deps.settings.model;
  }

  async ask(asked: Asked): Promise<{ model: string; streamed: Streamed }> {
    const { deps, work } = this;
    const { request, prepare = (whole) => whole, retriesBefore = 0 } = asked;
    const refusal = this.refusal;
    if (refusal !== undefined) {
      const attempt = stepAttempt(work.claimAttempt, retriesBefore);
      const error = new ModelError(refusal, 'invalid', { retryable: false });
      const streamed = { attempt, blocks: [], usage: NO_USAGE, ended: 'failed' as const, error };
      return { model: this.chosen, streamed };
    }
    const { modelRetries: maxRetries, overloadRetries } = deps.settings.budgets;
    const answer = await streamWithFallbacks({
      ...asked,
      clock: deps.clock,
      random: deps.random,
      faultPoint: deps.faultPoint,
      model: this.model,
      models: this.candidates,
      requestFor: (model) => prepare(this.requestFor(model, request)),
      retriesBefore,
      isCounted: asksModel(work.memory.journal.turn.options),
      claimAttempt: work.claimAttempt,
      maxRetries,
      overloadRetries,
      admit: (admitted, how) => this.admit(admitted, how, asked),
      onRetry: ({ kind }) => deps.metrics.modelRetries.inc({ kind }),
      onRefusal: (model, retryAfterMs) => deps.modelLimits.slowDown(model, retryAfterMs),
      onFallback: (model) => deps.metrics.modelFallbacks.inc({ model }),
      onUsage: (model, usage) => countCost(deps.metrics, deps.settings.modelPrices, { model, usage }),
    });
    deps.metrics.modelCalls.inc({ outcome: OUTCOMES[answer.streamed.ended] });
    return answer;
  }

  /**
   * Why the chosen model is not asked: a gateway with other settings let it in, or it was chosen when it was allowed.
   */
  private get refusal(): string | undefined {
    const { allowedModels } = this.deps.settings;
    if (!asksModel(this.work.memory.journal.turn.options)) return undefined;
    return findModelRefusal(allowedModels, this.chosen);
  }

  private requestFor(model: string, request: Asked['request']): ModelRequest {
    const { maxOutputTokens = Infinity } = useOfModel(this.deps.settings.modelUse, model);
    return {
      ...request,
      model,
      messages: withoutForeignThinking(request.messages, model),
      max_output_tokens: Math.min(request.max_output_tokens, maxOutputTokens),
    };
  }

  private get model(): Model {
    const { turn, steps } = this.work.memory.journal;
    const { call, answer } = turn.options;
    if (answer !== undefined) return givenAnswer(answer);
    return call ? directCall(call, steps.length > 0) : this.deps.model;
  }

  /** A turn that asks no model waits for no budget. */
  private async admit(
    request: ModelRequest,
    how: Parameters<ModelLimits['admit']>[1],
    asked: Pick<Asked, 'place' | 'emit'>,
  ): Promise<Permit> {
    if (!asksModel(this.work.memory.journal.turn.options)) return { done: () => undefined };
    const onWait = () => emitWaiting(this.deps.clock, asked, WAITS_FOR_OTHERS, 0);
    await this.usage.admit(request, { signal: how.signal, onWait });
    const permit = await this.deps.modelLimits.admit(request, how);
    return {
      done: (usage) => {
        permit.done(usage);
        if (usage) this.usage.note(request.model, usage);
      },
    };
  }
}
