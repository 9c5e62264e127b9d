import {
  type CallName,
  type CallRows,
  type GatewayAt,
  type Interned,
  type Orchestrator,
  type Owner,
  type PartName,
  type Parts,
  type Queues,
  type State,
  type States,
  type TurnRows,
  type Worker,
  type WorkerAt,
} from './state.js';

/**
 * The two orchestrators do the same, and so do the two workers: of states that differ only by which is which, one is
 * enough. Traces jump between names then, so mutants are explored without.
 */
export class Symmetry {
  private readonly swapped = new Map<object, object>();

  constructor(
    private readonly states: States,
    private readonly oneDriver: boolean,
  ) {}

  /** One state for all that are the same but for names. */
  representativeOf(state: State): State {
    return this.sortWorkers(this.oneDriver ? state : this.sortOrchestrators(state));
  }

  private sortOrchestrators(state: State): State {
    const { o1, o2, turn } = state;
    if (o1.id < o2.id || (o1.id === o2.id && turn.driver !== 'o2' && turn.step1 !== 'asks_b')) return state;
    if (o1.id === o2.id && turn.driver === 'o1') return state;
    return {
      o1: o2,
      o2: o1,
      a: state.b,
      b: state.a,
      turn: this.swap('turn', turn, swapTurn),
      queues: this.swap('queues', state.queues, swapQueues),
      w1: this.swap('w1', state.w1, swapCall),
      w2: this.swap('w2', state.w2, swapCall),
      gateway: this.swap('gateway', state.gateway, swapGateway),
    };
  }

  private sortWorkers(state: State): State {
    const { w1, w2, a, b } = state;
    if (w1.id < w2.id || (w1.id === w2.id && a.owner !== 'w2' && (a.owner === 'w1' || b.owner !== 'w2')))
      return state;
    return { ...state, w1: w2, w2: w1, a: this.swap('a', a, swapOwner), b: this.swap('b', b, swapOwner) };
  }

  private swap<Name extends PartName>(
    name: Name,
    part: Interned<Parts[Name]>,
    how: (part: Parts[Name]) => Parts[Name],
  ): Interned<Parts[Name]> {
    let known = this.swapped.get(part) as Interned<Parts[Name]> | undefined;
    if (!known) this.swapped.set(part, (known = this.states.intern(name, how(part))));
    return known;
  }
}

const otherCall = (name: CallName): CallName => (name === 'a' ? 'b' : 'a');
const OTHER: Record<Orchestrator | Worker, Owner> = { o1: 'o2', o2: 'o1', w1: 'w2', w2: 'w1' };
const otherWorker = (worker: Worker | 'none') => (worker === 'w1' ? 'w2' : worker === 'w2' ? 'w1' : worker);
const otherOwner = (owner: Owner): Owner => (owner === 'none' || owner === 'gone' ? owner : OTHER[owner]);

function swapTurn(turn: TurnRows): TurnRows {
  const { step1 } = turn;
  const swapped = step1 === 'asks_a' ? 'asks_b' : step1 === 'asks_b' ? 'asks_a' : step1;
  return { ...turn, step1: swapped, driver: otherOwner(turn.driver) };
}

function swapQueues(queues: Queues): Queues {
  const { call_a, call_b, asked_a, asked_b } = queues;
  return { ...queues, call_a: call_b, call_b: call_a, asked_a: asked_b, asked_b: asked_a };
}

function swapCall(worker: WorkerAt): WorkerAt {
  return worker.at === 'idle' ? worker : { ...worker, call: otherCall(worker.call) };
}

function swapGateway(gateway: GatewayAt): GatewayAt {
  return gateway.at === 'settling' ? { ...gateway, call: otherCall(gateway.call) } : gateway;
}

function swapOwner(call: CallRows): CallRows {
  const { owner, earlier, startedBy } = call;
  const swapped = startedBy === 'both' ? startedBy : otherWorker(startedBy);
  return { ...call, owner: otherOwner(owner), earlier: otherWorker(earlier), startedBy: swapped };
}
