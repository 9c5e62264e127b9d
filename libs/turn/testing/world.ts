import type { Answer, Call, Claim, ConversationEvent, Journal, Outcome, Step } from '#contracts';
import type { CallAction } from '../rules/call-rules.js';
import type { Liveness } from '../rules/liveness.js';
import { DEFAULT_BUDGETS, type Budgets } from '../rules/budgets.js';
import { decideCalls, type Action, type CallDecision } from '../rules/decide.js';
import { endEvent } from '../view/end-event.js';
import { endingStep, openCalls, outcomeOf } from '../journal/journal.js';
import { toolEndEvent } from '../view/tool-end.js';
import type { PartialText } from '../view/view-of.js';
import { callId, CONVERSATION_ID, START } from './rows.js';
import type { Tape } from './tape.js';

/** The events that one step of the world published, and the rows and partial texts after it. */
export interface Frame {
  events: { publisher: string; event: ConversationEvent }[];
  journals: Journal[];
  partials: PartialText[];
}

export interface QueuedCall {
  journal: Journal;
  step: Step;
  call: Call;
}

/**
 * The rows of one conversation and their writers, for tests. Every row is written by the rules of claim and settle, and
 * every event is published by the process that would publish it.
 */
export class World {
  readonly conversation = { _id: CONVERSATION_ID, title: 'A conversation' };
  readonly journals: Journal[] = [];
  readonly frames: Frame[] = [];
  /** The real text of each attempt of a step, by `turn:step:attempt`. */
  readonly texts = new Map<string, string>();
  readonly queue: QueuedCall[] = [];
  /** Processes counted as dead or suspect; for a frozen process that may be wrong, and it may continue. */
  readonly doubted = new Map<string, Liveness>();
  /** Calls whose owner was told to stop. */
  readonly stopping = new Set<string>();
  budgets: Budgets = DEFAULT_BUDGETS;
  now = START;
  /** Called with every decision at the moment it is taken. */
  onDecision: (journal: Journal, action: Action) => void = () => {};
  /** The texts that are being streamed now. */
  partials: () => PartialText[] = () => [];
  private events: Frame['events'] = [];
  private calls = 0;

  constructor(readonly tape: Tape) {}

  get at(): string {
    return new Date(this.now).toISOString();
  }

  newCallId(): string {
    return callId(++this.calls);
  }

  readonly liveness = (processId: string): Liveness => this.doubted.get(processId) ?? 'alive';

  emit(publisher: string, event: ConversationEvent): void {
    this.events.push({ publisher, event });
  }

  /** Ends one step of the world; time passes. */
  endFrame(): void {
    const journals = this.journals.map(({ turn, ...rows }) => ({
      turn,
      steps: [...rows.steps],
      claims: [...rows.claims],
      outcomes: [...rows.outcomes],
      answers: [...rows.answers],
    }));
    this.frames.push({ events: this.events, journals, partials: this.partials() });
    this.events = [];
    this.now += 7;
  }

  commit(journal: Journal, row: Step): { won: boolean; row: Step } {
    return insert(journal.steps, row);
  }

  claim(journal: Journal, row: Claim): { won: boolean; row: Claim } {
    return insert(journal.claims, row);
  }

  answer(journal: Journal, row: Answer): { won: boolean; row: Answer } {
    return insert(journal.answers, row);
  }

  settle(publisher: string, journal: Journal, call: Call, row: Outcome): void {
    const { won } = insert(journal.outcomes, row);
    if (won) this.emit(publisher, toolEndEvent(call, row));
  }

  situation(me: string) {
    return { now: this.now, me, liveness: this.liveness, budgets: this.budgets, deleted: false };
  }

  /** Carries out a decision about a call, whichever process took it. */
  carryOut(publisher: string, journal: Journal, { step, call, action }: CallDecision): void {
    const stale = outcomeOf(journal, call.tool_call_id) !== undefined;
    if (stale) return;
    switch (action.do) {
      case 'nothing':
      case 'await_person':
        return;
      case 'publish':
        this.queue.push({ journal, step, call });
        return;
      case 'expire':
        return this.expire(publisher, journal, call, action.answer);
      case 'settle':
        return this.settle(publisher, journal, call, action.outcome);
      case 'compete':
        return this.compete(publisher, journal, call, action);
      case 'cancel':
        this.stopping.add(call.tool_call_id);
    }
  }

  /**
   * Completes a turn after its ending row: done by the process that inserted the row, and again by each process that
   * finds it.
   */
  endTurn(publisher: string, journal: Journal): void {
    this.emit(publisher, endEvent(journal, endingStep(journal)!));
    this.releaseCalls(publisher, journal);
  }

  /** Does what any process does about the open calls of an ended turn. */
  releaseCalls(publisher: string, journal: Journal): void {
    const stopped = endingStep(journal)?.kind !== 'model';
    const decisions = decideCalls(journal, { ...this.situation(publisher), stopped });
    for (const decision of decisions) this.carryOut(publisher, journal, decision);
  }

  /** True when every turn has ended and every call has an outcome. */
  get isQuiet(): boolean {
    return this.journals.every((journal) => endingStep(journal) && openCalls(journal).length === 0);
  }

  private compete(
    publisher: string,
    journal: Journal,
    call: Call,
    { outcome }: Extract<CallAction, { do: 'compete' }>,
  ): void {
    const { turn_id, conversation_id, at } = outcome;
    const _id = `${call.tool_call_id}:1`;
    const mine = { turn_id, conversation_id, owner: publisher, n: 1, purpose: 'settle' as const, at };
    const { row } = this.claim(journal, { _id, ...mine, decides: outcome });
    // A process that dies here leaves a claim that any process may settle.
    if (row.decides && !this.tape.oneIn(8)) this.settle(publisher, journal, call, row.decides);
  }

  private expire(publisher: string, journal: Journal, call: Call, answer: Answer): void {
    const { won } = this.answer(journal, answer);
    if (!won) return;
    const { turn_id, by, at: timestamp } = answer;
    const place = { conversation_id: CONVERSATION_ID, turn_id, timestamp, tool_call_id: call.tool_call_id };
    this.emit(publisher, { type: 'approval_answered', ...place, by, decision: 'expired' });
  }
}

function insert<T extends { _id: string }>(rows: T[], row: T): { won: boolean; row: T } {
  const standing = rows.find(({ _id }) => _id === row._id);
  if (standing) return { won: false, row: standing };
  rows.push(row);
  return { won: true, row };
}
