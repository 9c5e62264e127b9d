import { gatewayMoves } from './gateway.js';
import { Moves, type Move } from './moves.js';
import { orchestratorMoves } from './orchestrator.js';
import { brokenIn, endIn, isGoal, type PromiseName } from './promises.js';
import { hasEnded, START, States, type State } from './state.js';
import { Symmetry } from './symmetry.js';
import { brokerMoves, sweeperMoves } from './environment.js';
import { strayRequests } from './ledger.js';
import type { Variant } from './variant.js';
import { workerMoves } from './worker.js';

export interface Exploration {
  states: number;
  /** False when the limit was reached before every state had been seen. */
  isComplete: boolean;
  /** The first promise found broken, and the shortest way to it. */
  broken?: PromiseName;
  trace: string[];
  /** Moves by which the model is asked for a step for which it is being asked already: they cost money, no promise. */
  repeatedModelCalls: number;
  /** How the turn ended, in every way that is reachable. */
  ends: Set<string>;
}

/** Lists every reachable state, breadth first; stops at the first broken promise. */
export function explore(variant: Variant, maxStates = Infinity): Exploration {
  const isMutant = variant.slips.length > 0 || Object.keys(variant.rules).length > 0;
  const exploration = new Explorer(variant, maxStates, !isMutant && !variant.alone).run();
  // Found where none was expected: once more, so that the trace calls each process by one name.
  if (!exploration.broken || isMutant || variant.alone) return exploration;
  const named = new Explorer(variant, maxStates, false).run();
  return named.broken ? named : exploration;
}

class Explorer {
  private readonly states = new States();
  private readonly moves: Moves;
  private readonly symmetry: Symmetry | undefined;
  private readonly keys: string[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly parents: number[] = [];
  /** Edges that need neither a fault nor a user: the ends of those of state i stand before `edgesOf[i]`. */
  private readonly edges: number[] = [];
  private readonly edgesOf: number[] = [];
  private readonly goals: number[] = [];
  private readonly ends = new Set<string>();
  private repeatedModelCalls = 0;

  constructor(
    private readonly variant: Variant,
    private readonly maxStates: number,
    isSorted: boolean,
  ) {
    this.moves = new Moves(variant, this.states);
    if (isSorted) this.symmetry = new Symmetry(this.states, variant.oneDriver);
  }

  run(): Exploration {
    this.add(this.states.make(START), -1);
    for (let i = 0; i < this.keys.length; i++) {
      if (this.keys.length > this.maxStates) return this.result(false);
      const state = this.states.stateOf(this.keys[i]!);
      for (const { next, kind, broken } of this.movesFrom(state)) {
        if (asksTwice(next) && !asksTwice(state)) this.repeatedModelCalls++;
        const known = this.numbers.get(this.states.keyOf(next));
        const number = known ?? this.add(next, i);
        const found = broken ?? (known === undefined ? brokenIn(next, this.variant) : undefined);
        if (found) return this.result(true, found, this.traceTo(i, next));
        if (kind === 'progress') this.edges.push(number);
      }
      this.edgesOf.push(this.edges.length);
    }
    const stuck = this.findStuck();
    if (stuck < 0) return this.result(true);
    return this.result(true, 'an end stays reachable', this.traceTo(stuck));
  }

  private movesFrom(state: State): Move[] {
    const { moves } = this;
    moves.begin(state);
    orchestratorMoves(moves, 'o1');
    workerMoves(moves, 'w1');
    const { alone, oneDriver } = this.variant;
    if (!alone && !oneDriver) orchestratorMoves(moves, 'o2');
    if (!alone) workerMoves(moves, 'w2');
    gatewayMoves(moves);
    sweeperMoves(moves);
    brokerMoves(moves);
    strayRequests(moves);
    const { symmetry } = this;
    if (symmetry) for (const move of moves.list) move.next = symmetry.representativeOf(move.next);
    return moves.list;
  }

  private add(state: State, parent: number): number {
    const key = this.states.keyOf(state);
    const number = this.keys.length;
    this.keys.push(key);
    this.numbers.set(key, number);
    this.parents.push(parent);
    if (isGoal(state, this.variant)) {
      this.goals.push(number);
      if (hasEnded(state.turn)) this.ends.add(endIn(state));
    }
    return number;
  }

  /** The shallowest state from which no goal can be reached; -1 if there is none. */
  private findStuck(): number {
    const count = this.keys.length;
    const into = new Int32Array(count + 1);
    for (const end of this.edges) into[end + 1]!++;
    for (let i = 0; i < count; i++) into[i + 1]! += into[i]!;
    const sources = new Int32Array(this.edges.length);
    const filled = into.slice();
    for (let i = 0, e = 0; i < count; i++)
      for (; e < this.edgesOf[i]!; e++) sources[filled[this.edges[e]!]!++] = i;
    const canEnd = new Uint8Array(count);
    const open = [...this.goals];
    for (const goal of this.goals) canEnd[goal] = 1;
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      for (let e = into[state]!; e < into[state + 1]!; e++) {
        const source = sources[e]!;
        if (canEnd[source]) continue;
        canEnd[source] = 1;
        open.push(source);
      }
    }
    return canEnd.indexOf(0);
  }

  private traceTo(number: number, last?: State): string[] {
    const trace: string[] = [];
    const name = (from: number, key: string) =>
      this.movesFrom(this.states.stateOf(this.keys[from]!)).find(
        ({ next }) => this.states.keyOf(next) === key,
      )!.label;
    if (last) trace.push(name(number, this.states.keyOf(last)));
    for (let i = number; this.parents[i]! >= 0; i = this.parents[i]!)
      trace.unshift(name(this.parents[i]!, this.keys[i]!));
    return trace;
  }

  private result(isComplete: boolean, broken?: PromiseName, trace: string[] = []): Exploration {
    const { ends, repeatedModelCalls } = this;
    return { states: this.keys.length, isComplete, broken, trace, ends, repeatedModelCalls };
  }
}

/** Both orchestrators have asked the model for the same step, and neither has committed it. */
function asksTwice({ o1, o2 }: State): boolean {
  return (
    o1.at === 'committing' &&
    o2.at === 'committing' &&
    o1.row === 'model' &&
    o2.row === 'model' &&
    o1.n === o2.n
  );
}
