import type { Body, Outcome } from '#contracts';
import { carryOut, livenessOfOwners, notifyOwners, situationOf, type Ports } from '#journal';
import { decideCalls, decideStopped } from '#turn';
import type { HeldClaims, WorkerCall } from '../port/call-ledger.port.js';
import { outcomeRow } from './call-claims.js';

/**
 * How a call ends that this worker has claimed but does not run, because its turn was stopped; without an outcome when
 * another worker that claimed it before or after may be running it. Then that worker ends it.
 */
export async function endStopped(
  ports: Ports,
  { body }: WorkerCall,
  { attempt, first, hasRun, neverStarted }: HeldClaims,
): Promise<{ started: boolean; outcome?: Outcome }> {
  const { me } = ports;
  const claims = await ports.store.listClaims(body.tool_call_id);
  const hadEarlier = claims.some(({ owner, n }) => owner === me && n < first);
  const started = hasRun || (hadEarlier && !neverStarted);
  const liveness = await livenessOfOwners(ports, claims);
  const next = decideStopped(claims, { liveness, stoodBack: [{ worker: me, started }] });
  if (next.do === 'settle') {
    const result = { status: 'failure' as const, error: next.error };
    return { started, outcome: outcomeRow(ports, body, { attempt, durationMs: 0, result }) };
  }
  await notifyOwners(ports, body, next);
  return { started };
}

/** Ends a stopped call that is not in hand, unless another worker may be running it. */
export async function cancelClaimed(
  ports: Ports,
  { tool_call_id, turn_id, stood_back = [] }: Body<'tool.cancel'>,
  { started }: { started: boolean },
): Promise<void> {
  const journal = await ports.store.readJournal(turn_id);
  if (!journal) return;
  const mine = { worker: ports.me, started };
  const situation = { ...(await situationOf(ports, journal)), stoodBack: [...stood_back, mine] };
  const decision = decideCalls(journal, situation).find(({ call }) => call.tool_call_id === tool_call_id);
  const isMine = journal.claims.some(
    ({ _id, n, owner }) => owner === ports.me && _id === `${tool_call_id}:${n}`,
  );
  if (situation.stopped && isMine && decision) await carryOut(ports, journal, decision);
}
