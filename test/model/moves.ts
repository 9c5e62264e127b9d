import type { StoodBack } from '#contracts';
import type { CallAction, CallDecision } from '#turn';
import { Basis, type Kind, type Says } from './basis.js';
import { CALL_IDS, claimsOf, endOf, journalOf, processId, workerOf } from './journal-of.js';
import type { Rules } from './rules.js';
import { isAmong, type CallName, type CallRows, type Change, type End, type Worker } from './state.js';
import type { PromiseName } from './promises.js';

export type { Kind, Move, Says } from './basis.js';

/** What follows from a change that somebody else makes: the promise that it breaks, the end that it gives the call. */
interface Told {
  change: Change;
  broken?: PromiseName;
  end?: End;
}

/** Everything that may happen next in one state, collected by the processes' own files. */
export class Moves extends Basis {
  /** Unique insert of an outcome: the first one stands. `by`: a worker, and those that have stood back. */
  settled(
    name: CallName,
    end: End,
    by: (Worker | undefined)[] = [],
  ): { change: Change; broken?: PromiseName } {
    const call = this.state[name];
    const isFirst = call.outcome === 'none';
    if (!isFirst && !this.has('outcome_upserted')) return { change: {} };
    const broken =
      !isFirst && call.outcome !== end
        ? 'one outcome per call'
        : end === 'unknown' && this.isKnownToSomebody(name, by)
          ? 'unknown only when no owner can tell the outcome'
          : undefined;
    return { change: { [name]: this.withoutHistory({ ...call, outcome: end }) }, broken };
  }

  /** Whoever else has it in hand will say how it ended; with nobody dead, and no tool lost, somebody always can. */
  private isKnownToSomebody(name: CallName, by: (Worker | undefined)[]): boolean {
    if (this.variant.suspicion === 'dead') return false;
    if (!this.variant.deaths) return true;
    const { owner, earlier } = this.state[name];
    return (['w1', 'w2'] as const).some(
      (worker) =>
        !by.includes(worker) && (owner === worker || earlier === worker) && this.isInHand(worker, name),
    );
  }

  private isInHand(worker: Worker, name: CallName): boolean {
    const { at, call } = this.state[worker];
    return at !== 'idle' && call === name;
  }

  /** Does what was decided about a call, each insert by itself; `extra` happens with it. */
  carryOut(who: string, { call, action }: CallDecision, extra: Change, kind: Kind, says: Says): void {
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
      case 'cancel': {
        const { change, broken, end } = this.toldToStop(name, action, says);
        const and = end ? `, who settles it: ${end}` : '';
        return this.go(`${who} tells the call's owners to stop${and}`, { ...extra, ...change }, kind, broken);
      }
    }
  }

  /**
   * `tool.cancel` reaches owners. Who has the call in hand is told; who has not stands back, and tells the others or
   * ends it.
   */
  toldToStop(
    name: CallName,
    { owners, stoodBack }: { owners: string[]; stoodBack: StoodBack[] },
    says: Says,
  ): Told {
    let change: Change = {};
    for (const owner of owners) {
      const worker = workerOf(owner);
      if (!worker) continue;
      if (this.isInHand(worker, name)) {
        const { at } = this.state[worker];
        if (at === 'asking' || at === 'starting' || at === 'running')
          change = { ...change, [worker]: { ...this.state[worker], told: true } };
        continue;
      }
      if (this.has('stood_back_and_forgotten')) continue;
      const next = this.standBack(name, worker, stoodBack, says);
      if ('end' in next) return next;
      change = { ...change, ...next.change };
    }
    return { change };
  }

  /** A worker that has claimed it, and does not run it. */
  standBack(name: CallName, me: Worker, stoodBack: StoodBack[], says: Says): Told {
    const call = this.state[name];
    const mine = { worker: processId(me), started: isAmong(me, call.startedBy) };
    const next = this.rules.decideStopped(claimsOf(name, call), {
      liveness: says,
      stoodBack: [...stoodBack, mine],
    });
    if (next.do === 'cancel') return this.toldToStop(name, next, says);
    const end = endOf({ status: 'failure', error: next.error });
    const by = [me, ...stoodBack.map(({ worker }) => workerOf(worker))];
    return { ...this.settled(name, end, by), end };
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
      const { next, end, owner } = this.afterCompeting(name, call, outcome);
      if (next === 'settle') {
        const { change, broken } = this.settled(name, end);
        return this.go(`${who} finds a settle claim, inserts ${end}`, { ...extra, ...change }, kind, broken);
      }
      // Whoever judges then has not asked after anybody yet.
      const told = this.toldToStop(name, { owners: owner ? [owner] : [], stoodBack: [] }, () => 'alive');
      return this.go(
        `${who} loses the claim${owner ? ', tells its owner' : ''}`,
        { ...extra, ...told.change },
        kind,
        told.broken,
      );
    }
    const claimed = this.settleClaim(call, outcome);
    // Whoever dies here leaves a claim that anybody may complete.
    if (this.variant.faults && this.variant.deaths)
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
    return {
      next: next.do,
      end: next.do === 'settle' ? endOf(next.outcome) : ('none' as const),
      owner: next.do === 'cancel' ? next.owner : undefined,
    };
  }
}
