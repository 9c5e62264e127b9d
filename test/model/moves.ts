import type { Journal } from '#contracts';
import type { CallAction, CallDecision, Liveness } from '#turn';
import { CALL_IDS, CLOCKS, endOf, journalOf, processId, type Clock, type Driving } from './journal-of.js';
import { PRODUCTION, type Rules } from './rules.js';
import {
  askedCall,
  type CallName,
  type CallRows,
  type Change,
  type End,
  type Owner,
  type State,
  type States,
  type TurnRows,
} from './state.js';
import type { PromiseName } from './promises.js';
import type { Slip, Variant } from './variant.js';

/** `fault`: something goes wrong, or a user acts. Nobody may count on it. */
export type Kind = 'progress' | 'fault';

export interface Move {
  label: string;
  next: State;
  kind: Kind;
  /** The promise that this very move breaks. */
  broken?: PromiseName;
}

export interface Judgement {
  says: Liveness;
  kind: Kind;
}

/** Everything that may happen next in one state, collected by the processes' own files. */
export class Moves {
  readonly rules: Rules;
  list: Move[] = [];
  state!: State;
  private readonly decided = new Map<string, unknown>();

  constructor(
    readonly variant: Variant,
    private readonly states: States,
  ) {
    this.rules = { ...PRODUCTION, ...variant.rules };
  }

  begin(state: State): void {
    this.state = state;
    this.list = [];
  }

  go(label: string, change: Change, kind: Kind = 'progress', broken?: PromiseName): void {
    this.list.push({ label, next: this.states.change(this.state, change), kind, broken });
  }

  has(slip: Slip): boolean {
    return this.variant.slips.includes(slip);
  }

  /** Deciding is pure: the same rows give the same decision, so it is asked for once. */
  remember<T>(key: string, decide: () => T): T {
    let known = this.decided.get(key) as T | undefined;
    if (known === undefined) this.decided.set(key, (known = decide()));
    return known;
  }

  /** The journal as somebody reads it who sees these rows. */
  journal(turn: TurnRows, driving?: Driving, call = this.asked): Journal {
    return journalOf(turn, askedCall(turn) && call, this.variant.toolClass, driving);
  }

  /** Part of a key of {@link remember}: everything that a journal of this state is made of. */
  rowsKey(): string {
    const { turn, a, b } = this.state;
    return `${turn.id},${a.id},${b.id}`;
  }

  get clocks(): Clock[] {
    return this.variant.clocks ? ['early', 'late', 'over'] : ['early'];
  }

  situation(me: Owner, says: Liveness, clock: Clock) {
    return { me: processId(me), now: CLOCKS[clock], liveness: () => says };
  }

  /** What anybody may think of a process: of a dead one the truth, sooner or later; of a living one anything. */
  judge(owner: Owner): Judgement[] {
    const alive: Judgement = { says: 'alive', kind: 'progress' };
    if (owner === 'none' || !this.variant.faults) return [alive];
    return [alive, { says: 'dead', kind: owner === 'gone' ? 'progress' : 'fault' }];
  }

  /** The one call that the turn may be waiting for. */
  get asked(): CallRows | undefined {
    const name = askedCall(this.state.turn);
    return name && this.state[name];
  }

  /** The same as it was read before somebody claimed it to run: an insert may come later than the decision to make it. */
  get askedBeforeItsClaim(): CallRows | undefined {
    const { asked } = this;
    const isClaimed = asked && asked.purpose === 'run' && asked.attempt === 1 && asked.outcome === 'none';
    return isClaimed ? { ...asked, attempt: 0, owner: 'none' } : undefined;
  }

  /** Unique insert of an outcome: the first one stands. */
  settled(name: CallName, end: End): { change: Change; broken?: PromiseName } {
    const call = this.state[name];
    const isFirst = call.outcome === 'none';
    if (!isFirst && !this.has('outcome_upserted')) return { change: {} };
    const broken = !isFirst && call.outcome !== end ? 'one outcome per call' : undefined;
    return { change: { [name]: { ...call, outcome: end } }, broken };
  }

  /** `turn.advance`, or a result, to whoever drives the turn: a driver looks again, otherwise anybody may. */
  hinted(): Change {
    const { turn, queues } = this.state;
    const { driver } = turn;
    if ((driver === 'o1' || driver === 'o2') && this.state[driver].at !== 'idle') {
      return { [driver]: { ...this.state[driver], awake: true } };
    }
    return { queues: { ...queues, advance: this.more(queues.advance) } };
  }

  more(copies: number): number {
    return Math.min(copies + 1, this.variant.broker === 'hints' ? 1 : 2);
  }

  fewer(copies: number): number {
    return this.variant.broker === 'hints' && this.variant.faults ? copies : copies - 1;
  }

  /** What follows an ending row: viewers are told, and the sweeper forgets the turn if its calls have ended. */
  ended(): Partial<TurnRows> {
    const { turn } = this.state;
    const settled = this.remember(`settled|${this.rowsKey()}`, () =>
      this.rules.isSettled(this.journal(turn)),
    );
    return settled ? { told: true, due: false } : { told: true };
  }

  /** Does what was decided about a call, each insert by itself; `extra` happens with it. */
  carryOut(who: string, { call, action }: CallDecision, extra: Change = {}, kind: Kind = 'progress'): void {
    const name: CallName = call.tool_call_id === CALL_IDS.a ? 'a' : 'b';
    switch (action.do) {
      case 'nothing':
      case 'await_person':
      case 'expire':
        return this.go(`${who}: nothing to do about the call`, extra, kind);
      case 'publish':
        return this.go(`${who} publishes tool.call`, { queues: this.withCall(name), ...extra }, kind);
      case 'settle': {
        const { change, broken } = this.settled(name, endOf(action.outcome));
        return this.go(
          `${who} inserts outcome ${endOf(action.outcome)}`,
          { ...extra, ...change },
          kind,
          broken,
        );
      }
      case 'compete':
        return this.compete(who, name, action, extra, kind);
      case 'cancel':
        return this.go(`${who} tells the call's owner to stop`, { ...extra, ...this.toldToStop(name) }, kind);
    }
  }

  withCall(name: CallName) {
    const { queues } = this.state;
    return { ...queues, [`call_${name}`]: this.more(queues[`call_${name}`]) };
  }

  /** `tool.cancel` reaches the call's owner while it starts or runs it. */
  toldToStop(name: CallName): Change {
    const { owner } = this.state[name];
    if (owner !== 'w1' && owner !== 'w2') return {};
    const worker = this.state[owner];
    if (worker.call !== name || (worker.at !== 'starting' && worker.at !== 'running')) return {};
    return { [owner]: { ...worker, told: true } };
  }

  /** Insert a settle claim; then insert what stands, or leave the call to whoever claimed it first. */
  compete(
    who: string,
    name: CallName,
    { outcome }: Extract<CallAction, { do: 'compete' }>,
    extra: Change,
    kind: Kind,
  ): void {
    const call = this.state[name];
    if (call.attempt > 0) {
      const { next, end } = this.afterCompeting(name, call, outcome);
      if (next === 'settle') {
        const { change, broken } = this.settled(name, end);
        return this.go(`${who} finds a settle claim, inserts ${end}`, { ...extra, ...change }, kind, broken);
      }
      const told = next === 'cancel' ? this.toldToStop(name) : {};
      return this.go(
        `${who} loses the claim${next === 'cancel' ? ', tells its owner' : ''}`,
        { ...extra, ...told },
        kind,
      );
    }
    const claimed = this.settleClaim(call, outcome);
    // Whoever dies here leaves a claim that anybody may complete.
    if (this.variant.faults)
      this.go(
        `${who} inserts a settle claim (${claimed.decides}) and no more`,
        { ...extra, [name]: claimed },
        'fault',
      );
    const { next, end } = this.afterCompeting(name, claimed, outcome);
    const settled = next === 'settle' && call.outcome === 'none' ? { ...claimed, outcome: end } : claimed;
    this.go(
      `${who} inserts a settle claim and outcome ${settled.outcome}`,
      { ...extra, [name]: settled },
      kind,
    );
  }

  /** The row as the settle claim makes it. */
  settleClaim(call: CallRows, outcome: Parameters<Rules['settleClaim']>[0]): CallRows {
    const claim = this.rules.settleClaim(outcome, 'gateway-1');
    const decides = claim.decides ? endOf(claim.decides) : 'none';
    return { ...call, attempt: 1, owner: 'gone', purpose: claim.purpose, decides };
  }

  afterCompeting(name: CallName, stands: CallRows, wanted: Parameters<Rules['settleClaim']>[0]) {
    const claim = journalOf(
      { ...this.state.turn, step1: name === 'a' ? 'asks_a' : 'asks_b' },
      stands,
      'once',
    ).claims;
    const first = claim.find((row) => row._id === `${CALL_IDS[name]}:1`)!;
    const next = this.rules.decideAfterCompeting(first, wanted);
    return { next: next.do, end: next.do === 'settle' ? endOf(next.outcome) : ('none' as const) };
  }
}
