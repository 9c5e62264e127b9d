import { LRUCache } from 'lru-cache';
import type { Body, Outcome, ToolCallBody } from '#contracts';
import { carryOut, livenessOfOwners, situationOf, notifyOwners, type Ports } from '#journal';
import { decideCalls, decideStopped } from '#turn';
import { outcomeRow } from './call-claims.js';

/** Nobody knows whether a forgotten call started. */
const MAX_REMEMBERED = 1_000;

/** This worker's claims on a call in hand: the attempt that counts, the first one, and whether it ran under any. */
export interface HeldClaims {
  attempt: number;
  first: number;
  hasRun: boolean;
}

/**
 * Calls that this worker has claimed but does not run, because their turn was stopped. Another worker that claimed them
 * before or after may be running them. Then that worker ends them.
 */
export class StoppedClaims {
  private readonly neverStarted = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  constructor(private readonly ports: Ports) {}

  /** How a call in hand that does not run under this attempt ends, or `elsewhere`. */
  async outcomeOf(
    body: ToolCallBody,
    { attempt, first, hasRun }: HeldClaims,
  ): Promise<Outcome | 'elsewhere'> {
    const { ports } = this;
    const { me } = ports;
    const claims = await ports.store.listClaims(body.tool_call_id);
    const hadEarlier = claims.some(({ owner, n }) => owner === me && n < first);
    const started = hasRun || (hadEarlier && !this.neverStarted.has(body.tool_call_id));
    if (!started) this.neverStarted.set(body.tool_call_id, true);
    const liveness = await livenessOfOwners(ports, claims);
    const next = decideStopped(claims, { liveness, stoodBack: [{ worker: me, started }] });
    if (next.do === 'settle') {
      const run = { attempt, durationMs: 0 };
      return outcomeRow(ports, body, run, { status: 'failure', error: next.error });
    }
    await notifyOwners(ports, body, next);
    return 'elsewhere';
  }

  /** Stops a call that is not in hand: ends it, unless another worker may be running it. */
  async cancel({ tool_call_id, turn_id, stood_back = [] }: Body<'tool.cancel'>): Promise<void> {
    const { ports } = this;
    const journal = await ports.store.readJournal(turn_id);
    if (!journal) return;
    const mine = { worker: ports.me, started: !this.neverStarted.has(tool_call_id) };
    const situation = { ...(await situationOf(ports, journal)), stoodBack: [...stood_back, mine] };
    const decision = decideCalls(journal, situation).find(({ call }) => call.tool_call_id === tool_call_id);
    const isMine = journal.claims.some(
      ({ _id, n, owner }) => owner === ports.me && _id === `${tool_call_id}:${n}`,
    );
    if (situation.stopped && isMine && decision) await carryOut(ports, journal, decision);
  }
}
