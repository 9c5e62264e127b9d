import type { CatalogTool, FailureCode, Step } from '#contracts';
import { stepRow } from '#journal';
import type { Model, ModelRequest } from '#llm';
import { Offer, type ArgumentValidator } from '#tools';
import { approvedTools, stepAttempt, timeLimit, withoutForeignThinking } from '#turn';
import type { Permit } from '../admission/model-admission.js';
import type { ModelLimits } from '../admission/model-limits.js';
import { directCall } from '../model/direct-call.js';
import { givenAnswer } from '../model/given-answer.js';
import { resolveCalls } from '../model/resolve-calls.js';
import { candidateModels, modelLabel } from '../model/model-choice.js';
import type { Progress, Streamed } from '../model/stream-step.js';
import { streamWithFallbacks } from '../model/stream-with-fallbacks.js';
import type { StepPlace } from '../model/token-stream.js';
import type { DrivingDeps } from '../driving.deps.js';
import { settledEnds } from './announce-step.js';
import { modelRequest } from './model-request.js';
import { failRow } from './step-row.js';
import type { TurnWork } from './turn-work.js';

/** Timers may fire early; then the turn's time would not be up yet. */
const LATE_MS = 20;
const OUTCOMES = { answered: 'ok', failed: 'error', aborted: 'aborted' };

/** The step that a driven turn asks the model for: streamed to viewers, and made a row. */
export class ModelStep {
  private readonly offer: Offer;
  /** Sorted as the model sees them. */
  private readonly offered: CatalogTool[];
  private controller: AbortController | undefined;
  private streaming: { step: number; progress: Progress } | undefined;
  private interrupted: Streamed | undefined;

  constructor(
    private readonly deps: DrivingDeps,
    private readonly validator: ArgumentValidator,
    private readonly work: TurnWork,
  ) {
    this.offer = new Offer([
      { by: 'deployment', choice: deps.settings.offer },
      { by: 'conversation', choice: work.conversation.tools },
      { by: 'message', choice: work.memory.journal.turn.options.tools },
    ]);
    this.offered = this.offer.filter(work.catalogue);
  }

  get isRunning(): boolean {
    return this.controller !== undefined;
  }

  /** What viewers have been sent of the step, until it is committed. */
  get shown(): { step: number; attempt: number; text: string } | undefined {
    if (!this.streaming) return undefined;
    const { step, progress } = this.streaming;
    return { step, attempt: progress.attempt, text: progress.text };
  }

  /** What an interrupted step came to: its text is kept by the row that ends the turn. */
  get broken(): Streamed | undefined {
    return this.interrupted;
  }

  interrupt(why: string): void {
    this.controller?.abort(new Error(why));
  }

  /** The row to commit; undefined if it was interrupted. */
  async run(n: number): Promise<Step | undefined> {
    const { deps, work } = this;
    const { journal } = work.memory;
    const request = modelRequest(journal, work.history, this.offered, deps.settings);
    const place = { conversation_id: journal.turn.conversation_id, turn_id: journal.turn._id, step: n };
    const controller = new AbortController();
    this.controller = controller;
    const timer = this.interruptInTime();
    deps.bus.emit({
      type: 'step_started',
      ...place,
      attempt: stepAttempt(work.claimAttempt, 0),
      timestamp: new Date().toISOString(),
      settled: settledEnds(journal, journal.steps.at(-1)),
    });
    try {
      const { model, streamed } = await this.ask(place, request, controller.signal);
      deps.metrics.modelCalls.inc({ outcome: OUTCOMES[streamed.ended] });
      if (streamed.ended !== 'aborted') return this.rowOf(n, model, streamed);
      this.interrupted = streamed;
      return undefined;
    } finally {
      clearTimeout(timer);
      this.controller = undefined;
    }
  }

  private async ask(
    place: Omit<StepPlace, 'attempt'>,
    request: Omit<ModelRequest, 'model'>,
    signal: AbortSignal,
  ): Promise<{ model: string; streamed: Streamed }> {
    const { deps, work } = this;
    const loading = work.images.load(place.conversation_id, request.messages);
    const images = loading && (await unlessAborted(loading, signal));
    const { modelRetries: maxRetries, overloadRetries } = deps.settings.budgets;
    return streamWithFallbacks({
      model: this.model,
      models: this.candidates,
      requestFor: (model) => ({
        ...request,
        model,
        messages: withoutForeignThinking(request.messages, model),
        ...(images && { images }),
      }),
      place,
      claimAttempt: work.claimAttempt,
      maxRetries,
      overloadRetries,
      signal,
      emit: (event) => deps.bus.emit(event),
      admit: (asked, how) => this.admit(asked, how),
      onRetry: ({ kind }) => deps.metrics.modelRetries.inc({ kind }),
      onRefusal: (model, retryAfterMs) => deps.modelLimits.slowDown(model, retryAfterMs),
      onFallback: (model) => deps.metrics.modelFallbacks.inc({ model }),
      onAttempt: (progress) => (this.streaming = { step: place.step, progress }),
    });
  }

  /** After the commit: nothing is being streamed any more. */
  forget(): void {
    this.streaming = undefined;
  }

  private get model(): Model {
    const { turn, steps } = this.work.memory.journal;
    const { call, answer } = turn.options;
    if (answer !== undefined) return givenAnswer(answer);
    return call ? directCall(call, steps.length > 0) : this.deps.model;
  }

  /** Of whom the step is asked. */
  private get candidates(): string[] {
    const { memory, conversation } = this.work;
    const chosen = memory.journal.turn.options.model ?? conversation.model ?? this.deps.settings.model;
    return this.asksNobody ? [chosen] : candidateModels(chosen, memory.journal.steps, this.deps.settings);
  }

  /** The turn is one call, or has its answer. */
  private get asksNobody(): boolean {
    const { call, answer } = this.work.memory.journal.turn.options;
    return call !== undefined || answer !== undefined;
  }

  /** Who asks no model waits for no budget of one. */
  private async admit(request: ModelRequest, how: Parameters<ModelLimits['admit']>[1]): Promise<Permit> {
    if (this.asksNobody) return { done: () => undefined };
    return this.deps.modelLimits.admit(request, how);
  }

  /** A provider that is silent for ever must not keep the turn beyond its budget. */
  private interruptInTime(): NodeJS.Timeout | undefined {
    const limit = timeLimit(this.work.memory.journal, this.deps.settings.budgets);
    if (limit === undefined) return undefined;
    return setTimeout(() => this.interrupt('out of time'), Math.max(0, limit - Date.now()) + LATE_MS);
  }

  private needsApproval(tool: CatalogTool): boolean {
    const mode = this.deps.settings.approvalOf(tool);
    if (mode !== 'first') return mode === 'always';
    const { memory, approvedBefore } = this.work;
    return !approvedBefore.has(tool.name) && !approvedTools(memory.journal).includes(tool.name);
  }

  private rowOf(n: number, model: string, streamed: Exclude<Streamed, { ended: 'aborted' }>): Step {
    const { journal } = this.work.memory;
    if (streamed.ended === 'failed') {
      const { kind, message } = streamed.error;
      const code = kind === 'context_overflow' ? 'context_overflow' : 'model_error';
      return failRow(journal, n, { code, message }, streamed);
    }
    const failure = findFailure(streamed, this.deps.settings.budgets.parallelCalls);
    if (failure) return failRow(journal, n, failure, streamed);
    const { asked, stopReason, usage, blocks, attempt } = streamed;
    const calls = resolveCalls(asked, stopReason, {
      catalogue: this.work.catalogue,
      offered: this.offered,
      whyNotOffered: (tool) => this.offer.whyNot(tool),
      needsApproval: (tool) => this.needsApproval(tool),
      earlier: journal.steps.flatMap(({ calls: before }) => before),
      identicalCallsOf: (tool) => this.deps.settings.identicalCallsOf?.(tool),
      validator: this.validator,
      budgets: this.deps.settings.budgets,
      now: Date.now(),
    });
    if (journal.turn.options.call)
      return stepRow(journal, n, { kind: 'model', attempt, blocks, calls, stop_reason: stopReason, usage });
    this.deps.metrics.modelSteps.inc({ model: modelLabel(model, this.deps.settings), kind: 'model' });
    return stepRow(journal, n, {
      kind: 'model',
      attempt,
      blocks,
      calls,
      stop_reason: stopReason,
      usage,
      model,
    });
  }
}

/** A store that is away must not hold up a Stop. */
function unlessAborted<T>(loading: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    loading.then(resolve, reject);
  });
}

type Answered = Extract<Streamed, { ended: 'answered' }>;

interface Failure {
  code: FailureCode;
  message: string;
}

/** Why the turn ends with this step instead of going on, if it does. */
function findFailure(streamed: Answered, parallelCalls: number): Failure | undefined {
  if (streamed.stopReason === 'refusal')
    return { code: 'refused', message: 'The model declined to answer this.' };
  if (streamed.stopReason === 'context_overflow') {
    return { code: 'context_overflow', message: 'The conversation is too long for the model.' };
  }
  if (streamed.asked.length <= parallelCalls) return undefined;
  const message = `Stopped at the limit of ${parallelCalls} calls at once. Send a message to go on.`;
  return { code: 'budget_exceeded', message };
}
