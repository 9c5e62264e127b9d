import type { Call, CatalogTool, Step } from '#contracts';
import { stepRow } from '#journal';
import type { ModelRequest } from '#llm';
import { timestampOf, type Timer } from '#time';
import { Offer, type ArgumentValidator } from '#tools';
import { answerDue, approvedTools, estimateTokens, stepAttempt, textOf, timeLimit } from '#turn';
import { asksModel } from './asks-model.js';
import { withDataFiles } from './data-files.js';
import { answerRequest, finalAnswer, isAnswerAlready, isEarlyAnswer, loopRequest } from './final-answer.js';
import { findFailure } from './find-failure.js';
import { refuseEndless, resolveCalls } from './resolve-calls.js';
import { modelLabel } from '../ask/model-choice.js';
import type { Progress } from '../ask/attempt-run.js';
import type { Streamed } from '../ask/stream-step.js';
import { retriesUpTo } from '../ask/stream-with-fallbacks.js';
import type { DrivingDeps } from '../work/driving.deps.js';
import { settledEnds } from './announce-step.js';
import { ModelAsker, type Asked } from './model-asker.js';
import { modelRequest } from './model-request.js';
import { failRow, failureCodeOf } from './step-row.js';
import { Summariser } from './summariser.js';
import { SummaryStep, type Written } from './summary-step.js';
import type { TurnUsage } from '../work/turn-usage.js';
import type { TurnWork } from '../work/turn-work.js';
import { unlessAborted } from './unless-aborted.js';

/** Viewers read a longer answer from the store. */
const MAX_TOLD_LENGTH = 200_000;

/** The step that a driven turn asks the model for: streamed to viewers, and made a row. */
export class ModelStep {
  private readonly offer: Offer;
  /** Sorted as the model sees them. */
  private readonly offered: CatalogTool[];
  private readonly asker: ModelAsker;
  private readonly summaryStep: SummaryStep;
  private controller: AbortController | undefined;
  private streaming: { step: number; progress: Progress } | undefined;
  private interrupted: Streamed | undefined;

  constructor(
    private readonly deps: DrivingDeps,
    private readonly validator: ArgumentValidator,
    private readonly work: TurnWork,
    usage: TurnUsage,
  ) {
    this.offer = new Offer([
      { by: 'deployment', choice: deps.settings.offer },
      { by: 'conversation', choice: work.conversation.tools },
      { by: 'message', choice: work.memory.journal.turn.options.tools },
    ]);
    this.offered = this.offer.filter(work.catalogue);
    this.asker = new ModelAsker(deps, work, usage);
    this.summaryStep = new SummaryStep(deps, work, new Summariser(this.asker, work.claimAttempt));
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
      timestamp: timestampOf(deps.clock),
      settled: settledEnds(journal, journal.steps.at(-1)),
    });
    try {
      const written = await this.write(request, {
        place,
        signal: controller.signal,
        emit: (event) => deps.bus.emit(event),
        onAttempt: (progress) => (this.streaming = { step: n, progress }),
      });
      if ('row' in written) return this.counted(written.row);
      this.interrupted = written.interrupted;
      return undefined;
    } finally {
      timer?.cancel();
      this.controller = undefined;
    }
  }

  /** Of a turn that would not fit otherwise, first a step that makes room. */
  private async write(
    request: Omit<ModelRequest, 'model'>,
    asking: Omit<Asked, 'request'>,
  ): Promise<Written> {
    const { summaryStep, work } = this;
    const room = await summaryStep.beforeRequest(request, asking);
    if (room) return room;
    const loading = work.images.load(asking.place.conversation_id, request.messages);
    const images = loading && (await unlessAborted(loading, asking.signal));
    const { model, streamed } = await this.asker.ask({
      ...asking,
      request: images ? { ...request, images } : request,
      ...this.preparation,
    });
    if (streamed.ended === 'aborted') return { interrupted: streamed };
    const isTooLong = streamed.ended === 'failed' && streamed.error.kind === 'context_overflow';
    if (isTooLong && summaryStep.mayCompact) {
      const retriesBefore = retriesUpTo(streamed, work.claimAttempt);
      return summaryStep.summarise(request, { ...asking, retriesBefore }, estimateTokens(request));
    }
    return { row: await this.rowOf(asking.place.step, model, streamed) };
  }

  private get preparation(): Pick<Asked, 'prepare'> {
    const { journal } = this.work.memory;
    if (!journal.turn.options.formatter) return {};
    return { prepare: answerDue(journal) ? answerRequest : loopRequest };
  }

  /** After the commit: nothing is being streamed any more. */
  forget(): void {
    this.streaming = undefined;
  }

  private counted(row: Step): Step {
    const { kind, model } = row;
    if (model !== undefined)
      this.deps.metrics.modelSteps.inc({ model: modelLabel(model, this.deps.settings), kind });
    return row;
  }

  /** A provider that is silent for ever must not keep the turn beyond its budget. */
  private interruptInTime(): Timer | undefined {
    const limit = timeLimit(this.work.memory.journal, this.deps.settings.budgets);
    if (limit === undefined) return undefined;
    const { clock } = this.deps;
    return clock.after(limit - clock.wall(), () => this.interrupt('out of time'));
  }

  private needsApproval(tool: CatalogTool): boolean {
    const mode = this.deps.settings.approvalOf(tool);
    if (mode !== 'first') return mode === 'always';
    const { memory, approvedBefore } = this.work;
    return !approvedBefore.has(tool.name) && !approvedTools(memory.journal).includes(tool.name);
  }

  private async rowOf(
    n: number,
    model: string,
    streamed: Exclude<Streamed, { ended: 'aborted' }>,
  ): Promise<Step> {
    const { journal } = this.work.memory;
    if (streamed.ended === 'failed') {
      const { message } = streamed.error;
      return failRow(this.deps, journal, n, { code: failureCodeOf(streamed.error), message }, streamed);
    }
    const failure = findFailure(streamed, this.deps.settings.budgets.parallelCalls);
    if (failure) return failRow(this.deps, journal, n, failure, streamed);
    const written = { kind: 'model' as const, ...(asksModel(journal.turn.options) ? { model } : {}) };
    if (answerDue(journal) || isEarlyAnswer(streamed, journal))
      return stepRow(this.deps, journal, n, { ...written, ...this.answer(n, streamed) });
    const { stopReason: stop_reason, usage, blocks, attempt } = streamed;
    const calls = await this.callsOf(streamed);
    const final = calls.length === 0 && isAnswerAlready(journal, model) ? { final: true } : {};
    return stepRow(this.deps, journal, n, {
      ...written,
      attempt,
      blocks,
      calls,
      stop_reason,
      usage,
      ...final,
    });
  }

  /** What viewers have not been told of an answer they are told now: it came as the argument of a call. */
  private answer(n: number, streamed: Answered) {
    const { journal } = this.work.memory;
    const { attempt, usage } = streamed;
    const answer = finalAnswer(streamed, journal);
    const content = textOf(answer);
    if (content !== '' && content.length <= MAX_TOLD_LENGTH && textOf(streamed) === '') {
      const { conversation_id, _id: turn_id } = journal.turn;
      const place = { conversation_id, turn_id, step: n, attempt, timestamp: timestampOf(this.deps.clock) };
      this.deps.bus.emit({ type: 'token', ...place, content, offset: 0 });
    }
    return { attempt, usage, ...answer };
  }

  private async callsOf({ asked, stopReason }: Answered): Promise<Call[]> {
    const { journal } = this.work.memory;
    const { options } = journal.turn;
    const calls = await resolveCalls(asked, stopReason, {
      catalogue: this.work.catalogue,
      offered: this.offered,
      whyNotOffered: (tool) => this.offer.whyNot(tool),
      needsApproval: (tool) => this.needsApproval(tool),
      completeArguments: (tool, args) => withDataFiles(tool, args, options),
      earlier: journal.steps.flatMap(({ calls: before }) => before),
      identicalCallsOf: (tool) => this.deps.settings.identicalCallsOf(tool),
      validator: this.validator,
      userId: journal.turn.user_id,
      budgets: this.deps.settings.budgets,
      now: this.deps.clock.wall(),
    });
    return options.formatter ? refuseEndless(calls, journal.steps) : calls;
  }
}

type Answered = Extract<Streamed, { ended: 'answered' }>;
