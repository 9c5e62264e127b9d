import type { Step } from '#contracts';
import { Offer, type ArgumentValidator, type OfferRule } from '#tools';
import type { Timer } from '#time';
import { answerDue, estimateTokens, stepAttempt, timeLimit } from '#turn';
import { readParts, retriesUpTo, type ModelAnswer } from '../ask/model-answer.js';
import { modelLabel } from '../ask/model-choice.js';
import type { DrivingDeps } from '../work/driving.deps.js';
import type { TurnUsage } from '../work/turn-usage.js';
import type { TurnWork } from '../work/turn-work.js';
import { settledEnds } from './announce-step.js';
import { answerRequest, loopRequest } from './final-answer.js';
import { prepareRequest, type StepRequest } from './prepare-request.js';
import { AnswerRecorder } from './record-answer.js';
import { StepViewers, type StepInProgress } from './step-viewers.js';
import { Summariser } from './summariser.js';
import { SummaryStep, type Written } from './summary-step.js';
import { TurnModels, type AskOptions } from './turn-models.js';

/** A step for which a driven turn asks its models: prepares the request, sends it, and records the answer as a row. */
export class ModelStep {
  private readonly offer: Offer;
  private readonly models: TurnModels;
  private readonly summaryStep: SummaryStep;
  private readonly recorder: AnswerRecorder;
  private controller: AbortController | undefined;
  private viewers: StepViewers | undefined;
  private interrupted: ModelAnswer | undefined;

  constructor(
    private readonly deps: DrivingDeps,
    validator: ArgumentValidator,
    private readonly work: TurnWork,
    usage: TurnUsage,
  ) {
    const rules: OfferRule[] = [
      { by: 'deployment', choice: deps.settings.offer },
      { by: 'conversation', choice: work.conversation.tools },
      { by: 'message', choice: work.memory.journal.turn.options.tools },
    ];
    this.offer = new Offer(rules, {
      isPaused: (toolName) => deps.switches.pauseOf(toolName) !== undefined,
      rolesFor: deps.settings.rolesFor,
      roles: work.memory.journal.turn.roles,
    });
    this.models = new TurnModels(deps, work, usage);
    this.summaryStep = new SummaryStep(deps, work, new Summariser(this.models, work.claimAttempt));
    this.recorder = new AnswerRecorder(deps, validator, work, this.offer);
  }

  get isRunning(): boolean {
    return this.controller !== undefined;
  }

  /** The part of the step that viewers have received, until it is committed. */
  get shown(): StepViewers['shown'] {
    return this.viewers?.shown;
  }

  /** The content of an interrupted step. The row that ends the turn keeps its text. */
  get broken(): ModelAnswer | undefined {
    return this.interrupted;
  }

  interrupt(why: string): void {
    this.controller?.abort(new Error(why));
  }

  /** The row to commit; undefined if it was interrupted. */
  async run(n: number): Promise<Step | undefined> {
    const { deps, work } = this;
    const { journal } = work.memory;
    const request = prepareRequest(journal, work.history, this.offer.filter(work.catalogue), deps.settings);
    const viewers = this.viewersOf(n);
    const controller = new AbortController();
    const startedAt = deps.clock.now();
    this.controller = controller;
    const timer = this.interruptInTime();
    viewers.start(stepAttempt(work.claimAttempt, 0), settledEnds(journal, journal.steps.at(-1)));
    try {
      const step = { n, viewers, signal: controller.signal, retriesBefore: 0 };
      const written = await this.write(request, step);
      if ('row' in written) return this.counted(written.row, deps.clock.now() - startedAt);
      this.interrupted = written.interrupted;
      return undefined;
    } finally {
      timer?.cancel();
      this.controller = undefined;
    }
  }

  /** Called after the commit: nothing is being streamed then. */
  forget(): void {
    this.viewers = undefined;
  }

  /** Makes room first if the request would not fit otherwise. */
  private async write(request: StepRequest, step: StepInProgress): Promise<Written> {
    const { summaryStep, work } = this;
    const room = await summaryStep.beforeRequest(request, step);
    if (room) return room;
    const answer = await this.ask(request, step);
    if (answer.ended === 'aborted') return { interrupted: answer };
    const isTooLong = answer.ended === 'failed' && answer.error.kind === 'context_overflow';
    if (isTooLong && summaryStep.mayCompact) {
      const retriesBefore = retriesUpTo(answer, work.claimAttempt);
      return summaryStep.summarise(request, { ...step, retriesBefore }, estimateTokens(request));
    }
    return { row: await this.recorder.record(answer, step) };
  }

  private async ask(request: StepRequest, { viewers, signal, retriesBefore }: StepInProgress) {
    const { models, work } = this;
    const loading = work.images.load(work.memory.journal.turn.conversation_id, request.messages);
    const images = loading && (await unlessAborted(loading, signal));
    const asked = images ? { ...request, images } : request;
    const parts = models.ask(asked, { signal, retriesBefore, ...this.adaptation });
    return readParts(parts, [viewers.follow, models.count]);
  }

  private get adaptation(): Pick<AskOptions, 'adapt'> {
    const { journal } = this.work.memory;
    if (!journal.turn.options.formatter) return {};
    return { adapt: answerDue(journal) ? answerRequest : loopRequest };
  }

  private viewersOf(n: number): StepViewers {
    const { bus, clock } = this.deps;
    const { conversation_id, _id: turn_id } = this.work.memory.journal.turn;
    const place = { conversation_id, turn_id, step: n };
    this.viewers = new StepViewers(place, { clock, emit: (event) => bus.emit(event) });
    return this.viewers;
  }

  private counted(row: Step, durationMs: number): Step {
    const { kind, model } = row;
    const { modelSteps, stepDuration } = this.deps.metrics;
    if (kind === 'model' || kind === 'summary') stepDuration.observe({ kind }, durationMs / 1_000);
    if (model !== undefined) modelSteps.inc({ model: modelLabel(model, this.deps.settings), kind });
    return row;
  }

  /** A provider that never answers must not keep the turn beyond its budget. */
  private interruptInTime(): Timer | undefined {
    const limit = timeLimit(this.work.memory.journal, this.deps.settings.budgets);
    if (limit === undefined) return undefined;
    const { clock } = this.deps;
    return clock.after(limit - clock.wall(), () => this.interrupt('out of time'));
  }
}

/** An unreachable store must not delay a Stop. */
function unlessAborted<T>(loading: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    loading.then(resolve, reject);
  });
}
