import { describe, expect, it } from '@jest/globals';
import { claimsOn, outcomeOf, statusOf } from '#turn';
import type { PlannedCall } from '../soak/plan.js';
import { casesOf, type FaultCase, type FaultKind, type Role } from '../faults/fault-cases.js';
import { Case } from './case.js';
import type { Kind } from './kinds.js';
import type { Blow } from './strikes.js';

const KIND_OF: Record<Role, Kind> = {
  gateway: 'gateway',
  orchestrator: 'orchestrator',
  'tool-worker': 'worker',
};
const BLOW_OF: Record<FaultKind, Blow> = {
  kill: 'kill',
  freeze: 'freeze',
  drop_connection: 'cut_bus',
  delay: 'delay',
};
/** A process that is frozen that long counts as dead, and everything has been settled without it. */
const FROZEN_MS = 40_000;
const DELAY_MS = 1_500;
/** What a process does when it is thawed: two heartbeats are enough. */
const LIVES_ON_MS = 5_000;
/** Longer than a scenario needs to reach its point. */
const HOLDS_MS = 12_000;
const STRUCK_MS = 30_000;

/** Every kind of fault at every point; `test/faults` compares some of them with real processes. */
export function describeFaultsInWorld(role: Role): void {
  describe(`a fault in a ${role} of a simulated fleet`, () => {
    for (const fault of casesOf(role)) it(fault.title, () => playFault(fault));
  });
}

function playFault(fault: FaultCase): Promise<void> {
  return Case.play({}, async (play) => {
    const message = play.message([callsOf(fault)]);
    arm(play, fault);
    const turnId = await begin(play, fault, message);
    await play.until(`a strike at ${fault.point}`, () => play.isStruck, STRUCK_MS);
    const nextId = await play.send(play.ann, []);
    await play.ended(turnId);
    await play.ended(nextId);
    await play.thawed();
    await play.world.clock.sleep(LIVES_ON_MS);
    if (fault.scenario === 'stop') expect(await play.stop(play.bob, turnId)).toEqual([]);
    await checkTurn(play, fault, turnId);
    expect((await play.journal(nextId)).turn).toMatchObject({ status: 'completed', due_at: null });
  });
}

function callsOf({ scenario, toolset }: FaultCase): PlannedCall[] {
  const [once, repeat]: PlannedCall[] = [
    { tool: 'once', takesMs: 300 },
    { tool: 'repeat', takesMs: 300 },
  ];
  if (scenario === 'stop')
    return [
      { tool: 'once', takesMs: HOLDS_MS },
      { tool: 'asked', takesMs: 0 },
    ];
  if (scenario === 'sweep') return [{ tool: 'once', takesMs: HOLDS_MS }, repeat!];
  // Where the class decides, the struck process has this call and no other.
  if (toolset) return [toolset === 'acts' ? once! : repeat!];
  return [once!, repeat!];
}

function arm(play: Case, { role, point, kind }: FaultCase): void {
  const forMs = { freeze: FROZEN_MS, delay: DELAY_MS, kill: 0, drop_connection: 0 }[kind];
  play.arm({ how: BLOW_OF[kind], kind: KIND_OF[role], point, afterMs: 0, forMs });
}

/** Bob's message, and what else brings a process to the point. */
async function begin(
  play: Case,
  { scenario, isFoundFirst }: FaultCase,
  message: ReturnType<Case['message']>,
): Promise<string> {
  const { world, bob } = play;
  if (isFoundFirst) await leaveUnfinished(play, message);
  const turnId = await play.send(bob, message);
  const states = () => String(play.view(turnId)?.steps[0]?.calls.map(({ state }) => state));
  if (scenario === 'stop') {
    await play.until('a call to approve', () => states() === 'running,awaiting_approval');
    await play.stop(bob, turnId);
  }
  if (scenario === 'sweep') {
    await play.until('a call that runs', () => states().includes('running'));
    while (!play.isStruck) {
      await world.database.setTurnDue(turnId, world.clock.wall());
      await world.clock.sleep(200);
    }
  }
  return turnId;
}

/** Bob's gateway is struck before he is answered; he does not ask again until somebody has found the turn. */
async function leaveUnfinished(play: Case, message: ReturnType<Case['message']>): Promise<void> {
  void play.bob.ask('message', message);
  await play.until('the turn being driven', () => {
    const turn = [...play.ann.views.values()].flatMap(({ turns }) => turns)[1];
    return turn !== undefined && turn.status !== 'queued';
  });
}

/** One end, one outcome for each call, starts within their bounds, `unknown` exactly where it is justified. */
async function checkTurn(play: Case, fault: FaultCase, turnId: string): Promise<void> {
  const journal = await play.journal(turnId);
  const isStop = fault.scenario === 'stop';
  expect(journal.steps.at(-1)?.kind).toBe(isStop ? 'cancel' : 'model');
  expect(statusOf(journal)).toBe(isStop ? 'cancelled' : 'completed');
  expect(journal.turn).toMatchObject({ status: statusOf(journal), due_at: null });
  const calls = journal.steps.flatMap((step) => step.calls);
  const expected = fault.endsUnknown ? 'OutcomeUnknown' : isStop ? 'Cancelled' : 'success';
  const found = await play.calls(turnId);
  expect(found.map(({ end }) => end)).toEqual(calls.map(() => expected));
  for (const [at, call] of calls.entries()) {
    const claims = claimsOn(journal, call.tool_call_id).filter(({ purpose }) => purpose === 'run');
    expect(found[at]!.starts).toBeLessThanOrEqual(call.class === 'once' ? 1 : claims.length);
    if (outcomeOf(journal, call.tool_call_id)?.status === 'success')
      expect(found[at]!.starts).toBeGreaterThan(0);
  }
}
