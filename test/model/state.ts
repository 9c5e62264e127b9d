/**
 * One moment of one turn: the model's first step asks for one call, the second answers. Every value is small, so that
 * all reachable moments can be listed. A call's id is made by the orchestrator whose answer asks for it: `a` by o1,
 * `b` by o2; the committed first step says which of the two became real.
 */
export type Orchestrator = 'o1' | 'o2';
export type Worker = 'w1' | 'w2';
export type CallName = 'a' | 'b';
/** `gone`: that process has died; who runs under its slot now is another one. */
export type Owner = Orchestrator | Worker | 'none' | 'gone';

/** How a call ended, as far as the promises tell ends apart. */
export type End =
  'none' | 'done' | 'never_started' | 'too_late' | 'no_worker' | 'stopped' | 'unknown' | 'gave_up';

/** The turn's rows, its newest claim and its caches. */
export interface TurnRows {
  step1: 'none' | 'asks_a' | 'asks_b' | 'cancel' | 'fail';
  /** `both` only in a mutant: an end next to the one under this number. */
  step2: 'none' | 'final' | 'cancel' | 'fail' | 'both';
  /** Owner of the newest claim on the turn. */
  driver: Owner;
  /** The sweeper looks at it. */
  due: boolean;
  /** Viewers were told of the end, and the cached status says it. */
  told: boolean;
  conversation: 'kept' | 'marked' | 'removed';
}

/** Which of the living workers. */
export type WorkerSet = 'none' | Worker | 'both';

/** The rows of one call, and what no row says: how often its effect happened, and by whom it was begun. */
export interface CallRows {
  /** Number of the newest claim, 0 without one. */
  attempt: number;
  owner: Owner;
  /** The other worker, if it owns an earlier claim. Not kept after the outcome, as the next two. */
  earlier: Worker | 'none';
  /** An earlier claim was that of a process which is gone. */
  lost: boolean;
  /** Who has started it. */
  startedBy: WorkerSet;
  purpose: 'run' | 'settle';
  /** What a settle claim states. */
  decides: End;
  outcome: End;
  /** Two means two or more. */
  starts: number;
}

/** What an orchestrator does about the turn. */
export interface OrchestratorAt {
  at: 'idle' | 'claiming' | 'driving' | 'committing';
  /** While claiming: somebody else has claimed since it read. While driving: likewise, and it need not know. */
  overtaken: boolean;
  /** The row it is about to insert. */
  n: number;
  row: 'none' | 'model' | 'cancel' | 'fail';
  /** It read the mark of a deleted conversation when it took the turn up. */
  sawMark: boolean;
  /** Something came since it last decided; always true while timers run. */
  awake: boolean;
  /** It holds the delivery of a hint. */
  holds: boolean;
}

/** What a worker does. */
export interface WorkerAt {
  /** `asking`: the ledger, for attempt 1; `attempt` is 0 until a ledger has served it. */
  at: 'idle' | 'asking' | 'claiming' | 'rereading' | 'starting' | 'running' | 'recording';
  call: CallName;
  attempt: number;
  /** Told to stop. */
  told: boolean;
  /** What stood already when its claim was inserted. */
  late: 'no' | 'after_outcome' | 'after_stop';
}

/** Whoever stops the turn or deletes the conversation. */
export interface GatewayAt {
  at: 'idle' | 'asking' | 'inserting' | 'releasing' | 'settling';
  n: number;
  /** The outcome it is about to insert, and of which call. */
  call: CallName;
  outcome: End;
  /** Acknowledged, when the call had been claimed to run or when it had not. */
  acked: 'no' | 'unclaimed' | 'claimed';
}

/** Copies of each hint. */
export interface Queues {
  advance: number;
  call_a: number;
  call_b: number;
  /** Requests to the ledger by workers that are gone. */
  asked_a: number;
  asked_b: number;
  /** Only in a mutant: a result that is believed because a message says so. */
  result: number;
}

export interface Parts {
  turn: TurnRows;
  a: CallRows;
  b: CallRows;
  o1: OrchestratorAt;
  o2: OrchestratorAt;
  w1: WorkerAt;
  w2: WorkerAt;
  gateway: GatewayAt;
  queues: Queues;
}

export type PartName = keyof Parts;

/** Equal parts are one object with one number. */
export type Interned<T> = T & { readonly id: number };
export type State = { readonly [Name in PartName]: Interned<Parts[Name]> };
export type Change = { [Name in PartName]?: Parts[Name] };

const NAMES: PartName[] = ['turn', 'a', 'b', 'o1', 'o2', 'w1', 'w2', 'gateway', 'queues'];
/** Pools, not names: the two of a kind share theirs. */
const KINDS: Record<PartName, string> = {
  turn: 'turn',
  a: 'call',
  b: 'call',
  o1: 'orchestrator',
  o2: 'orchestrator',
  w1: 'worker',
  w2: 'worker',
  gateway: 'gateway',
  queues: 'queues',
};

/** Makes states out of parts and short keys out of states. */
export class States {
  private readonly pools = new Map<string, { byValue: Map<string, object>; byId: object[] }>();

  /** The state after `change`; parts that stay the same are not touched. */
  change(state: State, change: Change): State {
    const next: Record<string, unknown> = { ...state };
    for (const name in change) next[name] = this.intern(name as PartName, change[name as PartName]!);
    return next as State;
  }

  make(parts: Parts): State {
    return this.change({} as State, parts);
  }

  keyOf(state: State): string {
    const { turn, a, b, o1, o2, w1, w2, gateway, queues } = state;
    return String.fromCharCode(turn.id, a.id, b.id, o1.id, o2.id, w1.id, w2.id, gateway.id, queues.id);
  }

  stateOf(key: string): State {
    const state: Record<string, unknown> = {};
    NAMES.forEach((name, i) => (state[name] = this.pools.get(KINDS[name])!.byId[key.charCodeAt(i)]));
    return state as State;
  }

  intern<Name extends PartName>(name: Name, value: Parts[Name]): Interned<Parts[Name]> {
    const kind = KINDS[name];
    let pool = this.pools.get(kind);
    if (!pool) this.pools.set(kind, (pool = { byValue: new Map(), byId: [] }));
    const text = Object.values(value).join();
    let known = pool.byValue.get(text);
    if (!known) {
      // Not enumerable, so that a spread copy is a plain value again.
      known = Object.defineProperty({ ...value }, 'id', { value: pool.byId.length });
      pool.byId.push(known);
      pool.byValue.set(text, known);
    }
    return known as Interned<Parts[Name]>;
  }
}

/** Of a call that has an outcome, or no claim. */
export const NO_HISTORY = { earlier: 'none', lost: false, startedBy: 'none' } as const;
const NO_CALL: CallRows = {
  attempt: 0,
  owner: 'none',
  ...NO_HISTORY,
  purpose: 'run',
  decides: 'none',
  outcome: 'none',
  starts: 0,
};
export const IDLE_ORCHESTRATOR: OrchestratorAt = {
  at: 'idle',
  overtaken: false,
  n: 0,
  row: 'none',
  sawMark: false,
  awake: true,
  holds: false,
};
export const IDLE_WORKER: WorkerAt = { at: 'idle', call: 'a', attempt: 0, told: false, late: 'no' };

/** The turn has been inserted and hinted once. */
export const START: Parts = {
  turn: { step1: 'none', step2: 'none', driver: 'none', due: true, told: false, conversation: 'kept' },
  a: NO_CALL,
  b: NO_CALL,
  o1: IDLE_ORCHESTRATOR,
  o2: IDLE_ORCHESTRATOR,
  w1: IDLE_WORKER,
  w2: IDLE_WORKER,
  gateway: { at: 'idle', n: 0, call: 'a', outcome: 'none', acked: 'no' },
  queues: { advance: 1, call_a: 0, call_b: 0, asked_a: 0, asked_b: 0, result: 0 },
};

/** The call that the committed first step asks for. */
export function askedCall({ step1 }: TurnRows): CallName | undefined {
  return step1 === 'asks_a' ? 'a' : step1 === 'asks_b' ? 'b' : undefined;
}

export function isAmong(worker: Worker, set: WorkerSet): boolean {
  return set === worker || set === 'both';
}

export function callOf(me: Orchestrator): CallName {
  return me === 'o1' ? 'a' : 'b';
}

export function isStopped({ step1, step2 }: TurnRows): boolean {
  const ends = ['cancel', 'fail', 'both'];
  return ends.includes(step1) || ends.includes(step2);
}

export function hasEnded(turn: TurnRows): boolean {
  return turn.step2 === 'final' || isStopped(turn);
}
