import type { Answer, Call, Claim, Outcome, Step, Switch, Turn } from '#contracts';
import { brokenInCall, brokenInSteps, endsTurn, INVARIANTS, isInOrder, type Broken } from '#turn';
import type { ClientRequest, LifeEvent, Start } from '../soak/evidence.js';
import { goalOf, type Finding } from '../soak/judge/finding.js';
import { Troubles } from '../soak/judge/trouble.js';
import { Pauses } from './pauses.js';

type Collection = 'turns' | 'steps' | 'claims' | 'outcomes' | 'answers';
type Won<T> = { won: boolean; row: T };

interface OpenCall {
  step: Step;
  call: Call;
}

/**
 * What must hold at every moment, asked when a row is written, a tool starts or a client is answered: each question
 * costs the same however long the walk is. What only shows at the end is the soak's judge's affair.
 */
export class Promises {
  readonly findings: Finding[] = [];
  /** When each row was written, by the world's clock: processes' clocks are minutes apart. */
  readonly writtenAt = new Map<string, number>();
  private readonly turns = new Map<string, Turn>();
  private readonly steps = new Map<string, Step[]>();
  private readonly calls = new Map<string, OpenCall>();
  private readonly claims = new Map<string, Claim[]>();
  private readonly outcomes = new Map<string, Outcome>();
  private readonly answers = new Map<string, Answer>();
  private readonly starts = new Map<string, Start[]>();
  /** Outcomes that nobody knows, justified ones too. */
  unknowns = 0;
  /** By turn, what its acknowledged Stop said may be running. */
  private readonly stopped = new Map<string, Set<string>>();
  /** Conversations whose Delete was acknowledged. */
  readonly deleted = new Set<string>();
  private readonly ended = new Set<string>();
  private readonly filledIn = new Set<string>();
  private readonly turnsOf = new Map<string, Turn[]>();
  /** Claims whose owner must find, when it looks, why it must not run the call. */
  private readonly late = new Map<string, string>();
  private readonly pauses: Pauses;
  /** Calls that were left to another worker, which could not run them again. */
  readonly leftWhilePaused = new Set<string>();

  constructor(
    private readonly now: () => number,
    private readonly lives: readonly LifeEvent[],
    /** Nothing has been struck yet. */
    private readonly isUntouched: () => boolean,
  ) {
    this.pauses = new Pauses(now, isUntouched);
  }

  /** After the effect of an operation of the store. */
  noteEffect(name: string, args: unknown[], result: unknown): void {
    if (name === 'claim') this.inserted('claims', result as Won<Claim>, (row) => this.claimed(row));
    else if (name === 'settle') this.inserted('outcomes', result as Won<Outcome>, (row) => this.settled(row));
    else if (name === 'commitStep') this.inserted('steps', result as Won<Step>, (row) => this.committed(row));
    else if (name === 'answer')
      this.inserted('answers', result as Won<Answer>, (row) => this.answers.set(row._id, row));
    else if (name === 'putSwitch') this.pauses.set(args[0] as Switch);
    else if (name === 'removeSwitch') this.pauses.undo(args[0] as string);
    else if (name === 'insertTurn' && result !== 'taken')
      this.inserted('turns', result as Won<Turn>, (row) => this.queued(row));
  }

  noteStart(start: Start, processId: string): void {
    const { tool_call_id, attempt } = start;
    const found = this.calls.get(tool_call_id);
    if (!found) return this.find('broken rule', `${tool_call_id} started, but no committed step asks for it`);
    const { call, step } = found;
    const earlier = this.starts.get(tool_call_id) ?? [];
    if (call.class === 'once' && earlier.length > 0)
      this.find('doubled', `call ${tool_call_id} (once) started twice`);
    if (earlier.some((other) => other.attempt === attempt))
      this.find('doubled', `call ${tool_call_id}: attempt ${attempt} started twice`);
    const claim = this.claims.get(tool_call_id)?.find(({ n }) => n === attempt);
    if (claim?.purpose !== 'run' || claim.owner !== processId)
      this.find('broken rule', `call ${tool_call_id}: attempt ${attempt} started without a claim of its own`);
    if (call.approval === 'required' && this.answers.get(`${tool_call_id}:approval`)?.decision !== 'approve')
      this.find('broken rule', `call ${tool_call_id} started without approval`);
    const stopped = this.stopped.get(step.turn_id);
    if (stopped && !stopped.has(tool_call_id))
      this.find(
        'broken rule',
        `call ${tool_call_id} started after an acknowledged Stop that did not name it`,
      );
    const late = claim && this.late.get(claim._id);
    if (late)
      this.find('broken rule', `call ${tool_call_id} started under attempt ${attempt}, claimed ${late}`);
    if (neverStarted(this.outcomes.get(tool_call_id)))
      this.find('broken rule', `call ${tool_call_id} started although its outcome says that it never has`);
    this.starts.set(tool_call_id, [...earlier, start]);
  }

  noteRequest(request: ClientRequest): void {
    if (request.what === 'deleted') this.deleted.add(request.conversation_id);
    if (request.what !== 'stopped') return;
    this.stopped.set(request.turn_id, new Set(request.may_be_running));
    for (const [id, { step }] of this.calls) {
      if (step.turn_id !== request.turn_id || request.may_be_running.includes(id)) continue;
      if (!this.claims.has(id))
        this.find('broken rule', `Stop was acknowledged, but ${id} can still be claimed`);
    }
  }

  /** A delivery of a call is done with: by then what its worker ran is in the store. */
  noteAck(toolCallId: string, processId: string): void {
    const claims = this.claims.get(toolCallId) ?? [];
    const ran = (this.starts.get(toolCallId) ?? []).some(
      ({ attempt }) => claims.find(({ n }) => n === attempt)?.owner === processId,
    );
    // Who waits for a person lets go of the delivery, and goes on without it.
    const hasAsked = this.answers.has(`${toolCallId}:question`);
    if (ran && !hasAsked && !this.outcomes.has(toolCallId))
      this.find('lost', `call ${toolCallId} was acknowledged before its outcome was in the store`);
  }

  /** Of calls that a committed step asks for. */
  conversationOf(toolCallId: string): string | undefined {
    return this.calls.get(toolCallId)?.step.conversation_id;
  }

  /** Ids of those that had one. */
  outcomesOf(conversationId: string): string[] {
    return [...this.outcomes.values()]
      .filter(({ conversation_id }) => conversation_id === conversationId)
      .map(({ _id }) => _id);
  }

  private queued(row: Turn): void {
    this.turns.set(row._id, row);
    const before = this.turnsOf.get(row.conversation_id) ?? [];
    this.turnsOf.set(row.conversation_id, [...before, row]);
  }

  private inserted<T extends { _id: string }>(
    collection: Collection,
    { won, row }: Won<T>,
    look: (row: T) => void,
  ): void {
    const key = rowKey(collection, row._id);
    if (!won || this.writtenAt.has(key)) return;
    this.writtenAt.set(key, this.now());
    look(row);
  }

  /** Whether a call of this worker has asked its person and has not ended: who leaves may leave it to others. */
  hasOpenQuestion(processId: string): boolean {
    return [...this.claims].some(
      ([id, claims]) =>
        !this.outcomes.has(id) &&
        this.answers.has(`${id}:question`) &&
        claims.some(({ owner }) => owner === processId),
    );
  }

  /** An answer to a question was taken: `call:number`. */
  noteFilledIn(question: string): void {
    if (this.filledIn.has(question)) this.find('doubled', `question ${question} was answered twice`);
    this.filledIn.add(question);
  }

  private claimed(row: Claim): void {
    const work = row._id.slice(0, row._id.lastIndexOf(':'));
    const before = this.claims.get(work) ?? [];
    this.claims.set(work, [...before, row]);
    if (!isInOrder([...before, row]))
      this.find('broken rule', `${work} was claimed as attempt ${row.n} after ${before.length}`);
    this.judgeCall(work);
    this.turnClaimed(work);
    this.callClaimed(work, row);
  }

  /** What the rows of one call must fulfil at every moment, in a live store, too. */
  private judgeCall(id: string): void {
    const { call } = this.calls.get(id) ?? {};
    if (!call) return;
    const claims = this.claims.get(id) ?? [];
    const approval = this.answers.get(`${id}:approval`);
    const record = { call, claims, outcome: this.outcomes.get(id), approval };
    this.judge(brokenInCall(record));
  }

  private judge(broken: Broken[]): void {
    for (const { invariant, row } of broken)
      this.find(goalOf(invariant), `${row}: ${INVARIANTS[invariant].means}`);
  }

  /** One turn of a conversation at a time. */
  private turnClaimed(work: string): void {
    const turn = this.turns.get(work);
    if (!turn) return;
    for (const { _id, number } of this.turnsOf.get(turn.conversation_id) ?? [])
      if (number < turn.number && !this.ended.has(_id))
        this.find('broken rule', `turn ${work} was taken up before ${_id} had ended`);
  }

  /** Who claims a call again looks at the journal before it starts. */
  private callClaimed(work: string, { _id, n, purpose }: Claim): void {
    const found = this.calls.get(work);
    if (!found || purpose !== 'run') return;
    if (n > 1 && this.isUntouched())
      this.find('broken rule', `call ${work} was claimed again although nothing had happened to its worker`);
    if (this.pauses.areKnown(found.call.tool_name))
      this.find('broken rule', `call ${work} was claimed although its tool is paused`);
    const { turn_id } = found.step;
    const end = this.steps.get(turn_id)?.find(({ kind }) => kind === 'cancel' || kind === 'fail');
    if (this.outcomes.has(work)) this.late.set(_id, 'after it had ended');
    else if (n > 1 && end) this.late.set(_id, 'after its turn was stopped');
    else if (this.deleted.has(found.step.conversation_id)) this.late.set(_id, 'after an acknowledged Delete');
  }

  private settled(row: Outcome): void {
    const { _id, error, attempt, status } = row;
    const claims = this.claims.get(_id) ?? [];
    this.outcomes.set(_id, row);
    this.judgeCall(_id);
    if (claims.length === 0) return;
    const starts = this.starts.get(_id) ?? [];
    if (status !== 'failure' && !starts.some((start) => start.attempt === attempt))
      this.find('broken rule', `call ${_id} succeeded in attempt ${attempt}, which never started`);
    if (claims[0]!.purpose === 'settle' && starts.length > 0)
      this.find('broken rule', `call ${_id} started although its claim says that it never can`);
    if (neverStarted(row) && starts.length > 0)
      this.find('broken rule', `the outcome of ${_id} says that it never started, but it has`);
    if (error?.error_type === 'OutcomeUnknown') {
      this.unknowns++;
      this.unknown(_id, claims);
    }
  }

  private unknown(id: string, claims: Claim[]): void {
    const troubles = new Troubles(this.lives);
    const isJustified = claims.some(
      ({ _id, owner, purpose }) =>
        purpose === 'run' && troubles.hit(owner, this.writtenAt.get(rowKey('claims', _id))!, this.now()),
    );
    if (isJustified || this.mustNotRunAgain(id, claims)) return;
    const owners = claims.map(({ n, owner }) => `${n} by ${owner}`).join(', ');
    this.find('unjustified unknown', `call ${id}, claimed: ${owners}`);
  }

  /** Its worker left it to another one, as it may with a call that can run again, but its tool is paused. */
  private mustNotRunAgain(id: string, claims: Claim[]): boolean {
    const hasLeft = (owner: string) =>
      this.lives.some((life) => life.what === 'died' && life.process_id === owner);
    const { tool_name = '' } = this.calls.get(id)?.call ?? {};
    const isSo = this.pauses.isPaused(tool_name) && claims.every(({ owner }) => hasLeft(owner));
    if (isSo) this.leftWhilePaused.add(id);
    return isSo;
  }

  private committed(row: Step): void {
    const { turn_id } = row;
    const steps = [...(this.steps.get(turn_id) ?? []), row];
    const options = this.turns.get(turn_id)?.options ?? {};
    this.judge(brokenInSteps(options, steps, (id) => this.outcomes.has(id)));
    this.steps.set(turn_id, steps);
    if (endsTurn(options, row)) this.ended.add(turn_id);
    for (const call of row.calls) this.calls.set(call.tool_call_id, { step: row, call });
  }

  private find(goal: Finding['goal'], what: string): void {
    this.findings.push({ goal, what });
  }
}

function neverStarted(outcome: Outcome | undefined): boolean {
  const details = outcome?.error?.error_details;
  return typeof details === 'object' && details?.started === false;
}

/** Ids are unique in their collection only: a turn's first claim is called like its first step. */
export function rowKey(collection: Collection, id: string): string {
  return `${collection} ${id}`;
}
