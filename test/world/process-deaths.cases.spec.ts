import { describe, expect, it } from '@jest/globals';
import type { Journal } from '#contracts';
import { claimsOn } from '#turn';
import type { PlannedCall } from '../soak/plan.js';
import { Case } from './case.js';
import { WORLD_TOOLS } from './simulated-tools.js';

/** One case for each row of docs/architecture.md, "Failures", that is about a process. */

const ALL = WORLD_TOOLS.length;
const ONCE: PlannedCall = { tool: 'once', takesMs: 500 };
const REPEAT: PlannedCall = { tool: 'repeat', takesMs: 500 };
/** Long enough to count as dead, and for others to end everything. */
const FROZEN_MS = 40_000;

/** Turn claims, in order: who drove it. */
function drivers({ turn, claims }: Journal): string[] {
  return claims.filter(({ _id }) => _id.startsWith(`${turn._id}:`)).map(({ owner }) => owner);
}

function callIds({ steps }: Journal): string[] {
  return steps.flatMap(({ calls }) => calls.map(({ tool_call_id }) => tool_call_id));
}

describe('a gateway that dies', () => {
  it('after the insert and before the hint: the sweeper sends the hint, and a resend is the same turn', () =>
    Case.play({}, async (play) => {
      const message = play.message([[ONCE]]);
      play.killAt('gateway', 'turn_announced');
      void play.bob.ask('message', message);
      const found = () => play.ann.views.get(play.conversationId)?.turns[1];
      await play.until(
        'the end of a turn that nobody asked for again',
        () => found()?.status === 'completed',
      );
      expect(await play.send(play.bob, message)).toBe(found()!.turn_id);
      expect(await play.calls(found()!.turn_id)).toEqual([{ end: 'success', starts: 1 }]);
    }));
});

describe('an orchestrator that dies or fails', () => {
  it('during a model stream: the next one claims the turn and repeats the request under a higher attempt', () =>
    Case.play({}, async (play) => {
      const asked = play.world.modelRequests;
      play.killAt('orchestrator', 'token_streamed');
      const turnId = await play.send(play.bob, []);
      await play.ended(turnId);
      const journal = await play.journal(turnId);
      expect(new Set(drivers(journal)).size).toBe(2);
      expect(journal.steps.map(({ n, attempt }) => [n, attempt])).toEqual([[1, 200]]);
      expect(play.world.modelRequests - asked).toBe(2);
    }));

  it.each(['before', 'after'] as const)(
    'at the insert of a step that fails %s taking effect: the insert is repeated, and the model is called once',
    (when) =>
      Case.play({}, async (play) => {
        const asked = play.world.modelRequests;
        play.world.faults.breaksNext = { operation: 'commitStep', when };
        const turnId = await play.send(play.bob, []);
        await play.ended(turnId);
        const journal = await play.journal(turnId);
        expect(journal.steps.map(({ n }) => n)).toEqual([1]);
        expect(drivers(journal)).toHaveLength(1);
        expect(play.world.modelRequests - asked).toBe(1);
        expect(play.world.faults.breaksNext).toBeUndefined();
      }),
  );

  it('after the insert and before publishing the calls: the next one finds them in the row and publishes them', () =>
    Case.play({}, async (play) => {
      play.killAt('orchestrator', 'step_committed');
      const turnId = await play.send(play.bob, [[ONCE, REPEAT]]);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([
        { end: 'success', starts: 1 },
        { end: 'success', starts: 1 },
      ]);
      expect(new Set(drivers(await play.journal(turnId))).size).toBe(2);
    }));

  it('by being frozen: another one commits the step, and the first one stops driving when it resumes', () =>
    Case.play({}, async (play) => {
      const { world } = play;
      play.arm({
        how: 'freeze',
        kind: 'orchestrator',
        point: 'model_answered',
        afterMs: 0,
        forMs: FROZEN_MS,
      });
      const turnId = await play.send(play.bob, [[ONCE]]);
      await play.ended(turnId);
      const frozen = world.processes.find(({ clock }) => clock.state === 'frozen')!;
      const asked = world.modelRequests;
      await play.thawed();
      await world.clock.sleep(5_000);
      const journal = await play.journal(turnId);
      expect(new Set(drivers(journal)).size).toBe(2);
      expect(drivers(journal)[0]).toBe(frozen.id);
      expect(journal.steps.map(({ n, attempt }) => [n, attempt])).toEqual([
        [1, 200],
        [2, 200],
      ]);
      expect(world.modelRequests).toBe(asked);
      expect(await play.calls(turnId)).toEqual([{ end: 'success', starts: 1 }]);
    }));
});

describe('a worker that dies', () => {
  it('before the claim: the call is redelivered and runs once', () =>
    Case.play({}, async (play) => {
      play.killAt('worker', 'call_received');
      const turnId = await play.send(play.bob, [[ONCE]]);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([{ end: 'success', starts: 1 }]);
      const journal = await play.journal(turnId);
      expect(claimsOn(journal, callIds(journal)[0]!)).toHaveLength(1);
    }));

  it.each([
    ['call_claimed', 'once', { end: 'OutcomeUnknown', starts: 0 }],
    ['tool_finished', 'once', { end: 'OutcomeUnknown', starts: 1 }],
    ['call_claimed', 'read', { end: 'success', starts: 1 }],
    ['tool_finished', 'read', { end: 'success', starts: 2 }],
    ['tool_finished', 'repeat', { end: 'success', starts: 2 }],
    ['tool_finished', 'keyed', { end: 'success', starts: 2 }],
  ] as const)(
    'between claim and settle, at %s of a %s tool: the tool runs again only if its class allows it',
    (point, tool, call) =>
      Case.play({}, async (play) => {
        play.killAt('worker', point);
        const turnId = await play.send(play.bob, [[{ tool, takesMs: 500 }]]);
        await play.ended(turnId);
        expect(await play.calls(turnId)).toEqual([call]);
      }),
  );

  it('after settling and before the hint: the call is redelivered and finds its outcome', () =>
    Case.play({}, async (play) => {
      play.killAt('worker', 'outcome_inserted');
      const turnId = await play.send(play.bob, [[REPEAT]]);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([{ end: 'success', starts: 1 }]);
    }));
});

describe('the last worker of a toolset that dies', () => {
  const only = { of: { worker: 1 } };

  it('and stays away: a published call ends DependencyUnavailable after 10 s and never starts', () =>
    Case.play(only, async (play) => {
      play.killAt('worker', 'call_received');
      const turnId = await play.send(play.bob, [[ONCE]]);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([{ end: 'DependencyUnavailable', starts: 0 }]);
      play.start('worker');
      await play.world.clock.sleep(20_000);
      expect(await play.calls(turnId)).toEqual([{ end: 'DependencyUnavailable', starts: 0 }]);
    }));

  it('and returns within 8 s: a published call waits for it and runs', () =>
    Case.play(only, async (play) => {
      play.killAt('worker', 'call_received');
      const turnId = await play.send(play.bob, [[ONCE]]);
      await play.until('the end of the worker', () => play.living('worker').length === 0);
      await play.world.clock.sleep(8_000);
      play.start('worker');
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([{ end: 'success', starts: 1 }]);
    }));

  it('has its tools withdrawn within 7 s, and offered again when another worker starts', () =>
    Case.play(only, async (play) => {
      const { world } = play;
      const offered = () => world.gateways().map(({ gateway }) => gateway!.offeredTools.listAll().length);
      expect(offered()).toEqual([ALL, ALL]);
      play.killOne('worker');
      await world.clock.sleep(7_000);
      expect(offered()).toEqual([0, 0]);
      play.start('worker');
      await play.until('the tools being offered again', () => String(offered()) === `${ALL},${ALL}`, 3_000);
      const turnId = await play.send(play.bob, [[ONCE]]);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([{ end: 'success', starts: 1 }]);
    }));
});
