import type { Journal } from '#contracts';
import type { Liveness } from '#turn';
import { CLOCKS, journalOf, processId, type Clock, type Driving } from './journal-of.js';
import { PRODUCTION, type Rules } from './rules.js';
import {
  askedCall,
  NO_HISTORY,
  type CallName,
  type CallRows,
  type Change,
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

export type Says = (processId: string) => Liveness;

/** What somebody thinks of all who have claimed a call. */
export interface OwnersJudged {
  says: Says;
  /** Part of a key of {@link Moves.remember}. */
  key: string;
  kind: Kind;
}

/** What a move is made of: the state, the rules, what anybody may think of a process, and hints. */
export class Basis {
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

  /** Who claimed and started a call that has ended matters only if its outcome may be removed. */
  withoutHistory(call: CallRows): CallRows {
    const isOver = call.outcome !== 'none' && this.variant.user !== 'deletes';
    return isOver ? { ...call, ...NO_HISTORY } : call;
  }

  get clocks(): Clock[] {
    return this.variant.clocks ? ['early', 'late', 'over'] : ['early'];
  }

  situation(me: Owner, says: Says, clock: Clock) {
    return { me: processId(me), now: CLOCKS[clock], liveness: says };
  }

  /** What anybody may think of a process: of a dead one the truth, sooner or later; of a living one anything. */
  judge(owner: Owner): Judgement[] {
    const alive: Judgement = { says: 'alive', kind: 'progress' };
    if (owner === 'none' || !this.variant.faults) return [alive];
    if (owner === 'gone') return [alive, { says: 'dead', kind: 'progress' }];
    return [alive, { says: this.variant.suspicion, kind: 'fault' }];
  }

  /** The same of everybody who has claimed the call to run it; `me` knows that it lives. */
  judgeOwners(call: CallRows | undefined, me?: Owner): OwnersJudged[] {
    const isRun = call?.purpose === 'run' && call.outcome === 'none';
    const owners = new Set<Owner>(isRun ? [call.owner, call.earlier, call.lost ? 'gone' : 'none'] : []);
    owners.delete('none');
    if (me) owners.delete(me);
    let judged: OwnersJudged[] = [{ says: () => 'alive', key: '', kind: 'progress' }];
    for (const owner of owners)
      judged = judged.flatMap(({ says, key, kind }) =>
        this.judge(owner).map((one) => ({
          says: (id: string) => (id === processId(owner) ? one.says : says(id)),
          key: `${key},${one.says}`,
          kind: kind === 'fault' ? kind : one.kind,
        })),
      );
    return judged;
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

  withCall(name: CallName) {
    const { queues } = this.state;
    return { ...queues, [`call_${name}`]: this.more(queues[`call_${name}`]) };
  }
}
