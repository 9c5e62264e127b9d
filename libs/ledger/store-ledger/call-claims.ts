import { completeResult, type Claim, type Outcome, type Switch, type ToolCallBody } from '#contracts';
import { settle, type KnownSwitches, type Ports } from '#journal';
import {
  decideAfterReclaim,
  decideLostClaim,
  evidenceOf,
  mayHaveRun,
  pausedDetail,
  runClaim,
  type Liveness,
} from '#turn';
import type { Inserted } from '#store';
import { timestampOf } from '#time';
import type { Ran, WorkerCall } from '../port/call-ledger.port.js';

/**
 * The result of claiming, with the outcome that ended the call: its driver has to know. `nothing`: the call belongs to
 * another worker.
 */
export type ClaimResult = { mine: Claim } | { outcome: Outcome } | { stopped: number } | 'nothing';

/** Attempt 1, at once and without reading first. A duplicate key means that another worker was earlier. */
export function claimFirst(ports: Ports, call: WorkerCall): Promise<Inserted<Claim>> {
  return claim(ports, call, 1);
}

/** An attempt that may be claimed, because the owner of the one before is lost. */
export interface NextAttempt {
  attempt: number;
  evidence?: Claim['evidence'];
}

/**
 * After a lost attempt 1: reads the rows, checks whether the owner is alive, and follows the rules. Claims nothing.
 *
 * @param pauseOf the switch that pauses a tool: then the call ends instead of being claimed again
 */
export async function judgeLostClaim(
  ports: Ports,
  call: WorkerCall,
  pauseOf: KnownSwitches['pauseOf'],
): Promise<{ outcome: Outcome } | { next: NextAttempt } | 'nothing'> {
  const { store } = ports;
  const { body, label } = call;
  const [claims, outcome] = await Promise.all([
    store.listClaims(body.tool_call_id),
    store.getOutcome(body.tool_call_id),
  ]);
  const holder = claims.at(-1);
  const liveness =
    holder?.purpose === 'run' && !outcome ? await livenessOfOwner(ports, holder.owner) : 'alive';
  const action = decideLostClaim(
    { claims, outcome },
    { class: body.class, me: ports.me, liveness: () => liveness, max_attempts: body.max_attempts },
  );
  switch (action.do) {
    case 'ignore':
      return 'nothing';
    case 'hint':
      return { outcome: outcome! };
    case 'settle':
      return { outcome: await settle(ports, label, action.outcome) };
    case 'claim_again': {
      const pause = pauseOf(body.tool_name);
      if (pause)
        return { outcome: await settle(ports, label, pausedOutcome(ports, body, action.attempt - 1, pause)) };
      const evidence = holder && evidenceOf(holder.owner, liveness, ports.me);
      return { next: { attempt: action.attempt, evidence } };
    }
  }
}

/** Attempt 2 or later: claims first, and only then reads the journal. */
export async function claimNext(
  ports: Ports,
  call: WorkerCall,
  { attempt, evidence }: NextAttempt,
): Promise<ClaimResult> {
  const { won, row } = await claim(ports, call, attempt, evidence);
  return won ? afterReclaim(ports, call.body, row) : 'nothing';
}

async function afterReclaim(ports: Ports, body: ToolCallBody, row: Claim): Promise<ClaimResult> {
  const [step, next, outcome] = await Promise.all([
    ports.store.getStep(body.turn_id, body.n),
    ports.store.getStep(body.turn_id, body.n + 1),
    ports.store.getOutcome(body.tool_call_id),
  ]);
  // Only the step ids of a removed turn are left.
  const asking = step?.calls.some((call) => call.tool_call_id === body.tool_call_id) ? step : null;
  switch (decideAfterReclaim({ step: asking, outcome, next })) {
    case 'run':
      return { mine: row };
    case 'settled':
      return { outcome: outcome! };
    case 'uncommitted':
      return 'nothing';
    case 'stopped':
      return { stopped: row.n };
  }
}

/** Of a call that this worker has just claimed, and has not started. */
export function pausedAfterClaim(ports: Ports, body: ToolCallBody, pause: Switch): Outcome {
  const error = pausedDetail(body.tool_name, pause, { wasClaimed: false });
  return outcomeRow(ports, body, { attempt: 1, durationMs: 0, result: { status: 'failure', error } });
}

/** Of a call whose last worker is lost, which another worker would have run again. */
function pausedOutcome(ports: Ports, body: ToolCallBody, attempt: number, pause: Switch): Outcome {
  const error =
    body.class === 'read' ? pausedDetail(body.tool_name, pause, { wasClaimed: true }) : mayHaveRun();
  return outcomeRow(ports, body, { attempt, durationMs: 0, result: { status: 'failure', error } });
}

export function outcomeRow(
  ports: Ports,
  body: ToolCallBody,
  { attempt, durationMs, result, at }: Ran,
): Outcome {
  return {
    _id: body.tool_call_id,
    turn_id: body.turn_id,
    conversation_id: body.conversation_id,
    n: body.n,
    ...completeResult(result),
    ...(result.artifacts ? { artifacts: result.artifacts } : {}),
    attempt,
    worker: ports.me,
    duration_ms: durationMs,
    at: at ?? timestampOf(ports.clock),
  };
}

/** A row with this claim's nonce is this claim, whoever inserted it: its answer was lost. */
function isOwn({ me }: Ports, { nonce }: WorkerCall, row: Claim): boolean {
  return nonce !== undefined && row.nonce === nonce && row.owner === me;
}

async function claim(
  ports: Ports,
  call: WorkerCall,
  attempt: number,
  evidence?: Claim['evidence'],
): Promise<Inserted<Claim>> {
  const at = timestampOf(ports.clock);
  const { body, nonce } = call;
  const wanted = runClaim(body.tool_call_id, attempt, { ...body, owner: ports.me, at, evidence, nonce });
  const { won, row } = await ports.store.claim(wanted);
  return { won: won || isOwn(ports, call, row), row };
}

async function livenessOfOwner({ peers, me }: Ports, owner: string): Promise<Liveness> {
  if (owner === me) return 'alive';
  if (await peers.isDead(owner)) return 'dead';
  return (await peers.isSuspect(owner)) ? 'suspect' : 'alive';
}
