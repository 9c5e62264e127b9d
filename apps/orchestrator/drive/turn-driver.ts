import type { CatalogTool, Step } from '#contracts';
import { newMessage } from '#contracts';
import { carryOut, endTurn, livenessOf, type Ports } from '#journal';
import type { ArgumentValidator } from '#tools';
import {
  decide,
  endingStep,
  failedOutcome,
  failure,
  holderOf,
  nextStepNumber,
  stepAttempt,
  toolsetOf,
  type Action,
  type CallAction,
  type CallDecision,
  type ModelMessage,
} from '#turn';
import { resolveCalls } from '../model/resolve-calls.js';
import { streamStep, type Progress, type Streamed } from '../model/stream-step.js';
import type { OrchestratorDeps } from '../orchestrator.deps.js';
import { committedEvents, settledEnds } from './announce-step.js';
import { Mailbox } from './mailbox.js';
import { modelRequest, offeredTools } from './model-request.js';
import { NoWorkerWatch } from './no-worker.js';
import { failRow, partialText, stepRow } from './step-row.js';
import type { TurnMemory } from './turn-memory.js';

const TICK_MS = 2_000;

export interface TurnWork {
  memory: TurnMemory;
  /** Attempt of the claim by which this process drives. */
  claimAttempt: number;
  /** Messages of the turns before; read only. */
  history: ModelMessage[];
  /** The catalogue pinned by the turn's first claim. */
  catalogue: CatalogTool[];
  /** The conversation was marked as deleted when the turn was taken up. */
  isDeleted: boolean;
}

/** How driving ended. Only `abandoned` leaves the hint for somebody else. */
export type DriveEnd = 'ended' | 'parked' | 'superseded' | 'abandoned';

/**
 * Drives one turn: decide, do it, look again. One event at a time; everything it knows is rows that stand in the
 * store, so it may die at any line.
 */
export class TurnDriver {
  readonly mailbox = new Mailbox();
  private readonly noWorker: NoWorkerWatch;
  private readonly offered: CatalogTool[];
  private interrupt: AbortController | undefined;
  private streaming: { step: number; progress: Progress } | undefined;
  private partial: Streamed | undefined;

  constructor(
    private readonly deps: OrchestratorDeps,
    private readonly ports: Ports,
    private readonly validator: ArgumentValidator,
    private readonly work: TurnWork,
  ) {
    this.noWorker = new NoWorkerWatch(deps.bus);
    this.offered = offeredTools(work.memory.journal, work.catalogue);
  }

  /** The text of the step that is being streamed, for viewers who join now. */
  get partialText(): { step: number; attempt: number; text: string } | undefined {
    if (!this.streaming) return undefined;
    const { step, progress } = this.streaming;
    return { step, attempt: progress.attempt, text: progress.text };
  }

  stop(requestId: string, replyTo: string): void {
    this.mailbox.post((mail) => mail.stops.push({ requestId, replyTo }));
    this.interrupt?.abort(new Error('stopped'));
  }

  /** Somebody has claimed the turn under this attempt; a late word of an earlier one changes nothing. */
  supersede(attempt: number): void {
    if (attempt > this.work.claimAttempt) this.leave('superseded');
  }

  leave(why: 'superseded' | 'abandoned'): void {
    this.mailbox.post((mail) => (mail.leave = why));
    this.interrupt?.abort(new Error(why));
  }

  result(toolCallId: string): void {
    this.mailbox.post((mail) => mail.results.add(toolCallId));
  }

  /** Something about the turn may have changed; while the model speaks, only an end matters. */
  hint(): void {
    this.mailbox.post((mail) => (mail.reread = true));
    if (this.interrupt) this.interruptIfEnded().catch(() => undefined);
  }

  async drive(): Promise<DriveEnd> {
    for (;;) {
      await this.readMail();
      const { leave } = this.mailbox;
      if (leave) return leave;
      if (this.work.memory.claimAttempt > this.work.claimAttempt) return 'superseded';
      const end = await this.act(decide(this.work.memory.journal, await this.situation()));
      if (end) return end;
    }
  }

  private async readMail(): Promise<void> {
    const { mailbox, work } = this;
    if (mailbox.leave) return;
    const results = [...mailbox.results];
    mailbox.results.clear();
    if (mailbox.reread) {
      mailbox.reread = false;
      await work.memory.reread();
    } else if (results.length > 0) {
      await work.memory.readOutcomes(results);
    }
    if (mailbox.stops.length > 0) await this.commitCancel();
  }

  private async situation() {
    const { ports, deps, work } = this;
    const liveness = await livenessOf(ports, work.memory.journal);
    return {
      now: Date.now(),
      me: ports.me,
      liveness,
      budgets: deps.settings.budgets,
      deleted: work.isDeleted,
    };
  }

  /** Only saves the rest of a model call: without it the commit finds the end. */
  private async interruptIfEnded(): Promise<void> {
    await this.work.memory.reread();
    if (endingStep(this.work.memory.journal)) this.interrupt?.abort(new Error('ended elsewhere'));
  }

  private async act(action: Action): Promise<DriveEnd | undefined> {
    switch (action.do) {
      case 'end':
        await this.end(action.step, action.calls);
        return 'ended';
      case 'commit_cancel':
        await this.commitCancel();
        return undefined;
      case 'commit_fail': {
        const { code, message } = action;
        await this.commitAnnounced(
          failRow(this.work.memory.journal, action.n, { code, message }, this.partial),
        );
        return undefined;
      }
      case 'call_model':
        await this.callModel(action.n);
        return undefined;
      case 'await_calls':
        return this.awaitCalls(action.calls, action.parked);
    }
  }

  private async end(step: Step, calls: CallDecision[]): Promise<void> {
    const { journal } = this.work.memory;
    this.answerStops();
    await Promise.all([
      endTurn(this.ports, journal, step),
      ...calls.map((call) => carryOut(this.ports, journal, call)),
    ]);
  }

  /** Keeps the text that viewers have seen; whoever waits for the Stop is answered when the turn has its end. */
  private async commitCancel(): Promise<void> {
    const { memory } = this.work;
    while (!endingStep(memory.journal)) {
      const content = {
        kind: 'cancel' as const,
        attempt: this.partial?.attempt ?? 0,
        blocks: partialText(this.partial),
      };
      await this.commitAnnounced(stepRow(memory.journal, nextStepNumber(memory.journal), content));
    }
    this.answerStops();
  }

  private answerStops(): void {
    const { turn } = this.work.memory.journal;
    for (const { requestId, replyTo } of this.mailbox.stops.splice(0)) {
      void this.deps.bus.send(
        replyTo,
        newMessage('turn.stopped', { turn_id: turn._id, request_id: requestId }),
      );
    }
  }

  /** Commits a row and, if it shows something, tells viewers. */
  private async commitAnnounced(row: Step): Promise<void> {
    const won = await this.work.memory.commit(row);
    if (won && (row.kind === 'model' || row.blocks.length > 0)) {
      for (const event of committedEvents(this.work.memory.journal, row)) this.deps.bus.emit(event);
    }
  }

  private async callModel(n: number): Promise<void> {
    // Until now there was nothing to interrupt: a Stop that came since the mail was read must not wait for the model.
    if (!this.mailbox.isEmpty) return;
    const { deps, work } = this;
    const { journal } = work.memory;
    const request = modelRequest(journal, work.history, this.offered, deps.settings);
    const place = { conversation_id: journal.turn.conversation_id, turn_id: journal.turn._id, step: n };
    this.interrupt = new AbortController();
    deps.bus.emit({
      type: 'step_started',
      ...place,
      attempt: stepAttempt(work.claimAttempt, 0),
      timestamp: new Date().toISOString(),
      settled: settledEnds(journal, journal.steps.at(-1)),
    });
    this.partial = await streamStep({
      model: deps.model,
      request,
      place,
      claimAttempt: work.claimAttempt,
      signal: this.interrupt.signal,
      emit: (event) => deps.bus.emit(event),
      onAttempt: (progress) => (this.streaming = { step: n, progress }),
    });
    this.interrupt = undefined;
    if (this.partial.ended !== 'aborted') {
      await this.commitAnnounced(this.rowOf(n, this.partial));
      this.partial = undefined;
    }
    this.streaming = undefined;
  }

  private rowOf(n: number, streamed: Exclude<Streamed, { ended: 'aborted' }>): Step {
    const { journal } = this.work.memory;
    const fail = (code: Parameters<typeof failRow>[2]['code'], message: string) =>
      failRow(journal, n, { code, message }, streamed);
    if (streamed.ended === 'failed') {
      const isContext = streamed.error.kind === 'context_overflow';
      return fail(isContext ? 'context_overflow' : 'model_error', streamed.error.message);
    }
    const { asked, stopReason, usage, blocks, attempt } = streamed;
    const { budgets, needsApproval } = this.deps.settings;
    if (stopReason === 'refusal') return fail('refused', 'The model declined to answer this.');
    if (stopReason === 'context_overflow')
      return fail('context_overflow', 'The conversation is too long for the model.');
    if (asked.length > budgets.parallelCalls) {
      return fail(
        'budget_exceeded',
        `Stopped at the limit of ${budgets.parallelCalls} calls at once. Send a message to go on.`,
      );
    }
    const offer = {
      catalogue: this.work.catalogue,
      offered: this.offered,
      needsApproval,
      validator: this.validator,
    };
    const calls = resolveCalls(asked, stopReason, offer);
    return stepRow(journal, n, { kind: 'model', attempt, blocks, calls, stop_reason: stopReason, usage });
  }

  private async awaitCalls(calls: CallDecision[], parked: boolean): Promise<'parked' | undefined> {
    if (parked) {
      const { turn } = this.work.memory.journal;
      await this.deps.store.setTurnStatus(turn._id, 'awaiting_input');
      return 'parked';
    }
    const learned = await Promise.all(calls.map((call) => this.advanceCall(call)));
    if (learned.includes(true)) return undefined;
    if (!(await this.mailbox.wait(TICK_MS))) await this.work.memory.reread();
    return undefined;
  }

  /** True when something is known now that was not before, so that the turn is decided anew at once. */
  private async advanceCall(decision: CallDecision): Promise<boolean> {
    const { memory } = this.work;
    let next = decision;
    if (decision.action.do === 'publish') {
      const { tool_call_id, tool_name } = decision.call;
      const look = await this.noWorker.look(tool_call_id, `tools.${toolsetOf(tool_name)}`);
      if (look === 'wait') return false;
      if (look === 'no_worker') next = { ...decision, action: this.giveUp(decision) };
    }
    const { claim, outcome, published } = await carryOut(this.ports, memory.journal, next);
    if (published) this.noWorker.sent(decision.call.tool_call_id, published);
    const isNewClaim = claim !== undefined && memory.addClaim(claim);
    const isNewOutcome = outcome !== undefined && memory.addOutcome(outcome);
    return isNewClaim || isNewOutcome;
  }

  private giveUp({ step, call }: CallDecision): CallAction {
    const holder = holderOf(this.work.memory.journal, call.tool_call_id);
    const error = failure('DependencyUnavailable', `No worker for ${toolsetOf(call.tool_name)} is running.`);
    const by = { worker: this.ports.me, attempt: holder?.n ?? 0, at: new Date().toISOString() };
    return { do: holder ? 'settle' : 'compete', outcome: failedOutcome(step, call, error, by) };
  }
}
