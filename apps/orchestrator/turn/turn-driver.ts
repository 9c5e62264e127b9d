import type { Outcome, Step } from '#contracts';
import { newMessage } from '#contracts';
import { carryOut, endTurn, livenessOf, stepRow, type Ports } from '#journal';
import type { ArgumentValidator } from '#tools';
import { turnLogFields } from '#tracing';
import {
  decide,
  decideStop,
  endingStep,
  isSuperseded,
  nextStepNumber,
  type Action,
  type CallDecision,
  type WaitingCall,
  waitingCalls,
} from '#turn';
import type { DrivingDeps } from '../work/driving.deps.js';
import { ModelStep } from '../step/model-step.js';
import { StepCommits } from '../step/step-commits.js';
import { failRow, partialText, usageOf } from '../step/fail-row.js';
import { TurnUsage } from '../work/turn-usage.js';
import type { TurnWork } from '../work/turn-work.js';
import { ApprovalRequests } from './approval-requests.js';
import { Mailbox } from './mailbox.js';
import { OpenCalls, type CallQueues } from './open-calls.js';

const TICK_MS = 2_000;

/** How driving ended. Only `abandoned` leaves the hint for another process. */
export type DriveEnd = 'ended' | 'parked' | 'superseded' | 'abandoned';

/**
 * Drives one turn: decides, acts, looks again, one event at a time. Everything that it knows is in rows of the store,
 * so it may die at any line.
 */
export class TurnDriver {
  readonly mailbox: Mailbox;
  private readonly modelStep: ModelStep;
  private readonly openCalls: OpenCalls;
  private readonly usage: TurnUsage;
  private readonly commits: StepCommits;
  private readonly approvals: ApprovalRequests;
  /** Resolves when the turn is cached as running, or cannot be. */
  private marking: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: DrivingDeps,
    private readonly ports: Ports,
    validator: ArgumentValidator,
    private readonly work: TurnWork,
    queues: CallQueues,
  ) {
    const { store, dayBudgets, settings, clock } = deps;
    this.mailbox = new Mailbox(ports.clock);
    const { memory, claimAttempt } = work;
    const prices = settings.modelPrices;
    this.usage = new TurnUsage({ store, dayBudgets, prices, clock }, memory.journal.turn, claimAttempt);
    this.approvals = new ApprovalRequests(store, memory.journal.turn.user_id);
    this.commits = new StepCommits(ports, work, this.usage);
    this.modelStep = new ModelStep(deps, validator, work, this.usage);
    const wake = () => this.mailbox.post((mail) => (mail.released = true));
    this.openCalls = new OpenCalls(ports, work, queues, wake);
  }

  /** Whether a model is writing for it now. */
  get asksModel(): boolean {
    return this.modelStep.isRunning;
  }

  /** Calls that wait for a worker, as the journal was read at most 2 s ago. */
  get waitingCalls(): WaitingCall[] {
    return waitingCalls(this.work.memory.journal, this.openCalls.releasedAt);
  }

  /** The text of the step that is being streamed, for viewers who join now. */
  get partialText(): { step: number; attempt: number; text: string } | undefined {
    return this.modelStep.shown;
  }

  stop(requestId: string, replyTo: string): void {
    this.mailbox.post((mail) => mail.stops.push({ requestId, replyTo }));
    this.modelStep.interrupt('stopped');
  }

  /** A process has claimed the turn under this attempt. A late message about an earlier attempt changes nothing. */
  supersede(attempt: number): void {
    if (attempt > this.work.claimAttempt) this.leave('superseded');
  }

  leave(why: 'superseded' | 'abandoned'): void {
    this.mailbox.post((mail) => (mail.leave = why));
    this.modelStep.interrupt(why);
  }

  /** `traceparent`: of the run that ended. */
  result(toolCallId: string, traceparent?: string): void {
    this.work.trace.noteResult(traceparent);
    this.mailbox.post((mail) => mail.results.add(toolCallId));
  }

  /** A call has ended in this process, as the store has it: the result that follows needs no read. */
  settled(stored: Outcome): void {
    this.work.memory.hand(stored);
  }

  /** Something about the turn may have changed. While the model writes, only an end matters. */
  hint(): void {
    this.mailbox.post((mail) => (mail.reread = true));
    if (this.modelStep.isRunning) this.interruptIfEnded().catch(() => undefined);
  }

  async drive(): Promise<DriveEnd> {
    try {
      return await this.driveOn();
    } finally {
      this.openCalls.follow([]);
      await this.commits.leave();
    }
  }

  private async driveOn(): Promise<DriveEnd> {
    this.marking = this.markRunning();
    for (;;) {
      await this.readMail();
      const { leave } = this.mailbox;
      if (leave) return leave;
      if (this.work.memory.isGone) return 'superseded';
      if (isSuperseded(this.work.memory.journal, this.work.claimAttempt)) return 'superseded';
      const action = decide(this.work.memory.journal, await this.situation());
      this.openCalls.follow(action.do === 'await_calls' ? action.calls : []);
      const end = await this.act(action);
      if (end) return end;
    }
  }

  private async readMail(): Promise<void> {
    const { mailbox, work } = this;
    if (mailbox.leave) return;
    mailbox.released = false;
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
      now: ports.clock.wall(),
      me: ports.me,
      liveness,
      budgets: deps.settings.budgets,
      deleted: work.conversation.isDeleted,
      releasedAt: this.openCalls.releasedAt,
    };
  }

  /** This only saves the rest of a model call; without it, the commit finds the end. */
  private async interruptIfEnded(): Promise<void> {
    await this.work.memory.reread();
    if (endingStep(this.work.memory.journal) || this.work.memory.isGone)
      this.modelStep.interrupt('ended elsewhere');
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
        await this.commits.commit(
          failRow(this.ports, this.work.memory.journal, action.n, { code, message }, this.modelStep.broken),
        );
        return undefined;
      }
      case 'call_model':
        await this.usage.count(this.work.memory.journal);
        await this.callModel(action.n);
        return undefined;
      case 'await_calls':
        await this.usage.count(this.work.memory.journal);
        return this.awaitCalls(action.calls, action.parked);
    }
  }

  private async end(step: Step, calls: CallDecision[]): Promise<void> {
    const { journal } = this.work.memory;
    await this.ports.faultPoint('ending_committed');
    this.answerStops();
    await Promise.all([
      endTurn(this.ports, journal, step, () => this.usage.count(journal)),
      ...calls.map((call) => carryOut(this.ports, journal, call)),
    ]);
  }

  /** Keeps the text that viewers have seen. The waiting Stop requests are answered once the turn has its end. */
  private async commitCancel(): Promise<void> {
    const { memory } = this.work;
    const shownFor = nextStepNumber(memory.journal);
    for (
      let next = decideStop(memory.journal);
      next.do === 'commit_cancel' && !memory.isGone;
      next = decideStop(memory.journal)
    ) {
      // A step that another process committed meanwhile has the text.
      const broken = next.n === shownFor ? this.modelStep.broken : undefined;
      const content = {
        kind: 'cancel' as const,
        attempt: this.modelStep.broken?.attempt ?? 0,
        blocks: partialText(broken),
        usage: usageOf(broken),
      };
      await this.commits.commit(stepRow(this.ports, memory.journal, next.n, content));
    }
    await this.ports.faultPoint('cancel_committed');
    this.answerStops();
  }

  private answerStops(): void {
    const { turn } = this.work.memory.journal;
    for (const { requestId, replyTo } of this.mailbox.stops.splice(0)) {
      void this.deps.bus.send(
        replyTo,
        newMessage(this.ports, 'turn.stopped', { turn_id: turn._id, request_id: requestId }),
      );
    }
  }

  private async callModel(n: number): Promise<void> {
    // Until now there was nothing to interrupt. A Stop that arrived after the mail was read must not wait for the
    // model.
    if (!this.mailbox.isEmpty) return;
    await this.work.trace.inStep(n, async () => {
      const row = await this.modelStep.run(n);
      if (row) await this.ports.faultPoint('model_answered');
      if (row) await this.commits.commit(row);
      this.modelStep.forget();
      return row?.kind;
    });
  }

  /** A cache for lists; losing it does no harm. */
  private async markRunning(): Promise<void> {
    const { turn } = this.work.memory.journal;
    try {
      await this.deps.store.setTurnStatus(turn._id, 'running');
    } catch (error) {
      this.deps.log.warn({ err: error, ...turnLogFields(turn) }, 'writing the cached status failed');
    }
  }

  private async awaitCalls(calls: CallDecision[], parked: boolean): Promise<'parked' | undefined> {
    await this.approvals.keep(calls);
    if (parked) {
      const { turn } = this.work.memory.journal;
      // Two concurrent writes may arrive in any order.
      await this.marking;
      await this.deps.store.setTurnStatus(turn._id, 'awaiting_input');
      // An answer may have arrived meanwhile, and an unread hint would be lost.
      return this.mailbox.isEmpty ? 'parked' : undefined;
    }
    const learned = await Promise.all(calls.map((call) => this.openCalls.advance(call)));
    if (learned.includes(true)) return undefined;
    if (!(await this.mailbox.wait(TICK_MS))) await this.work.memory.reread();
    return undefined;
  }
}
