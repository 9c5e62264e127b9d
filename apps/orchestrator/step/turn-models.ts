import { useOfModel } from '#bootstrap';
import { findModelRefusal, ModelError, type ModelRequest } from '#llm';
import { asksModel, stepAttempt, withoutForeignThinking } from '#turn';
import { ask } from '../ask/ask.js';
import type { AskPolicy } from '../ask/ask-policy.js';
import { knownAnswer } from '../ask/known-answers.js';
import { candidateModels } from '../ask/model-choice.js';
import { countCost } from '../ask/model-cost.js';
import { countRequest, providerLabel } from '../ask/count-request.js';
import type { StepPart } from '../ask/step-part.js';
import type { Admission } from '../ask/wait-for-permit.js';
import type { DrivingDeps } from '../work/driving.deps.js';
import type { TurnUsage } from '../work/turn-usage.js';
import type { TurnWork } from '../work/turn-work.js';
import type { StepRequest } from './prepare-request.js';

export interface AskOptions {
  signal: AbortSignal;
  /** Attempts of the step that viewers have already seen. */
  retriesBefore: number;
  /** Makes the request for the model that is asked. */
  adapt?: (request: ModelRequest) => ModelRequest;
}

/** The models of a turn: the chosen one and its fallbacks. */
export class TurnModels {
  private hasText = false;

  constructor(
    private readonly deps: DrivingDeps,
    private readonly work: TurnWork,
    private readonly usage: TurnUsage,
  ) {}

  /** In the order in which they are asked. */
  get candidates(): string[] {
    const { chosen } = this;
    if (!this.areAsked) return [chosen];
    return candidateModels(chosen, this.work.memory.journal.steps, this.deps.settings);
  }

  /** A turn whose answer is known in advance asks none. */
  get areAsked(): boolean {
    return asksModel(this.work.memory.journal.turn.options);
  }

  async *ask(request: StepRequest, options: AskOptions): AsyncGenerator<StepPart, void> {
    const { signal, retriesBefore, adapt = (whole) => whole } = options;
    const refusal = this.areAsked && findModelRefusal(this.deps.settings.allowedModels, this.chosen);
    if (refusal) {
      const attempt = stepAttempt(this.work.claimAttempt, retriesBefore);
      yield { type: 'refused', attempt, error: new ModelError(refusal, 'invalid', { retryable: false }) };
      return;
    }
    const requests = this.candidates.map((model) => adapt(this.requestFor(model, request)));
    yield* ask(requests, this.policy(retriesBefore), signal);
  }

  /** Listens to the requests, for metrics and the turn's usage. */
  readonly count = (part: StepPart): void => {
    const { metrics, settings } = this.deps;
    switch (part.type) {
      case 'usage':
        this.usage.note(part.model, part.usage);
        if (part.sent) countRequest(metrics, providerLabel(part.model, settings), part.usage, part.sent);
        return countCost(metrics, settings.modelPrices, part);
      case 'text':
        return this.noteText();
      case 'retry':
        return metrics.modelRetries.inc({ provider: providerLabel(part.model, settings), kind: part.kind });
      case 'fallback':
        return metrics.modelFallbacks.inc({ model: part.model });
      case 'end':
      case 'attempt':
      case 'waiting':
      case 'thinking':
      case 'thinking_end':
      case 'call':
      case 'refused':
    }
  };

  /** The first text of the turn, unless another process has driven it, which may have shown text. */
  private noteText(): void {
    if (this.hasText) return;
    this.hasText = true;
    const { clock, metrics } = this.deps;
    const { turn } = this.work.memory.journal;
    if (this.work.claimAttempt > 1) return;
    metrics.turnFirstToken.observe(Math.max(0, clock.wall() - Date.parse(turn.at)) / 1_000);
  }

  /** Chosen by the message, the conversation or the deployment. */
  private get chosen(): string {
    const { memory, conversation } = this.work;
    return memory.journal.turn.options.model ?? conversation.model ?? this.deps.settings.model;
  }

  private requestFor(model: string, request: StepRequest): ModelRequest {
    const { maxOutputTokens = Infinity } = useOfModel(this.deps.settings.modelUse, model);
    return {
      ...request,
      model,
      messages: withoutForeignThinking(request.messages, model),
      max_output_tokens: Math.min(request.max_output_tokens, maxOutputTokens),
    };
  }

  private policy(retriesBefore: number): AskPolicy {
    const { deps, work } = this;
    const { modelRetries: maxRetries, overloadRetries } = deps.settings.budgets;
    return {
      clock: deps.clock,
      random: deps.random,
      faultPoint: deps.faultPoint,
      model: knownAnswer(work.memory.journal) ?? deps.model,
      admission: this.areAsked ? this.admission : undefined,
      startChat: (request) => work.trace.startChat(request),
      claimAttempt: work.claimAttempt,
      retriesBefore,
      maxRetries,
      overloadRetries,
    };
  }

  private get admission(): Admission {
    const { modelLimits } = this.deps;
    return {
      admit: async (request, { signal, onWait }) => {
        await this.usage.admit(request, {
          signal,
          onWait: () => onWait({ shortOf: 'user_budget', waitMs: 0 }),
        });
        return modelLimits.admit(request, { signal, onWait });
      },
      slowDown: (model, retryAfterMs) => modelLimits.slowDown(model, retryAfterMs),
    };
  }
}
