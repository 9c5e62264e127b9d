import { describe, expect, it } from '@jest/globals';
import { switchIdOf, type Journal, type SwitchKind } from '#contracts';
import { LOCAL_USER } from '../../apps/gateway/people/auth/user.js';
import type { PlannedCall } from '../soak/plan.js';
import { Case } from './case.js';
import type { SimulatedProcess } from './simulated-process.js';
import { TOOLSET } from './simulated-tools.js';

const ONCE: PlannedCall = { tool: 'once', takesMs: 500 };
const LONG: PlannedCall = { tool: 'once', takesMs: 6_000 };
/** Within this time every process has read the switches. */
const KNOWN_MS = 2_200;
const REFUSED = { end: 'DependencyUnavailable', starts: 0 };

function setSwitch(play: Case, kind: SwitchKind, name: string): Promise<unknown> {
  return boardOf(play).set(LOCAL_USER, { kind, name });
}

function undo(play: Case, kind: SwitchKind, name: string): Promise<unknown> {
  return boardOf(play).unset(LOCAL_USER, kind, name);
}

function boardOf({ world }: Case) {
  return world.gateways()[0]!.gateway!.switchBoard;
}

async function reasonOf(play: Case, turnId: string): Promise<string | undefined> {
  return (await play.journal(turnId)).outcomes[0]?.error?.error_message;
}

/** The living processes of a kind: the one that drains, and the other one. */
async function drainOne(play: Case, kind: 'worker' | 'orchestrator'): Promise<SimulatedProcess[]> {
  const both = play.living(kind);
  await setSwitch(play, 'process', both[0]!.id);
  return both;
}

function ownersOf({ claims, turn }: Journal, ofTurns: boolean): Set<string> {
  return new Set(
    claims.filter(({ _id }) => _id.startsWith(`${turn._id}:`) === ofTurns).map(({ owner }) => owner),
  );
}

describe('a paused toolset', () => {
  it('finishes what runs, refuses what its model asks for later, and runs again when it is resumed', () =>
    Case.play({}, async (play) => {
      const turnId = await play.send(play.bob, [[LONG], [ONCE]]);
      await play.until('the call runs', () => play.world.starts.length > 0);
      await setSwitch(play, 'toolset', TOOLSET);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([{ end: 'success', starts: 1 }, REFUSED]);
      await undo(play, 'toolset', TOOLSET);
      const later = await play.send(play.bob, [[ONCE]]);
      await play.ended(later);
      expect(await play.calls(later)).toEqual([{ end: 'success', starts: 1 }]);
    }));

  it('refuses a call that is in its queue, by its orchestrator, although no worker lives', () =>
    Case.play({ of: { worker: 1 } }, async (play) => {
      play.world.onEnd = () => undefined;
      play.killAt('worker', 'call_received');
      const turnId = await play.send(play.bob, [[ONCE]]);
      await play.until('its worker dies', () => play.living('worker').length === 0);
      await setSwitch(play, 'toolset', TOOLSET);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([REFUSED]);
      expect(await reasonOf(play, turnId)).toBe(`The toolset of ${TOOLSET}.once is paused by an operator.`);
      play.start('worker');
      await undo(play, 'toolset', TOOLSET);
    }));

  it('refuses a call that its worker has received and not claimed', () =>
    Case.play({}, async (play) => {
      play.arm({ how: 'delay', kind: 'worker', point: 'call_received', afterMs: 0, forMs: 1_000 });
      const turnId = await play.send(play.bob, [[ONCE]]);
      await play.until('a worker has it', () => play.isStruck);
      await setSwitch(play, 'tool', `${TOOLSET}.once`);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([REFUSED]);
      const { claims, turn } = await play.journal(turnId);
      const settled = claims.filter(({ _id }) => !_id.startsWith(turn._id));
      expect(settled.map(({ purpose }) => purpose)).toEqual(['settle']);
    }));

  it('does not run again what a lost worker has run', () =>
    Case.play({}, async (play) => {
      play.killAt('worker', 'tool_finished');
      const turnId = await play.send(play.bob, [[{ tool: 'repeat', takesMs: 500 }]]);
      await play.until('its worker dies', () => play.isStruck);
      await setSwitch(play, 'toolset', TOOLSET);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([{ end: 'OutcomeUnknown', starts: 1 }]);
    }));

  it('is known everywhere within 2 s, also when nobody is told', () =>
    Case.play({}, async (play) => {
      const { world } = play;
      const by = { by: 'operator', at: new Date(world.clock.wall()).toISOString() };
      const _id = switchIdOf('toolset', TOOLSET);
      await world.database.putSwitch({ _id, kind: 'toolset', name: TOOLSET, ...by });
      await world.clock.sleep(KNOWN_MS);
      const turnId = await play.send(play.bob, [[ONCE]]);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([REFUSED]);
    }));
});

describe('a process that drains', () => {
  it('as an orchestrator takes no new turns, and takes turns again when that is undone', () =>
    Case.play({}, async (play) => {
      const [drained, other] = await drainOne(play, 'orchestrator');
      for (let i = 0; i < 4; i++) {
        const turnId = await play.send(play.bob, [[ONCE]]);
        await play.ended(turnId);
        expect(ownersOf(await play.journal(turnId), true)).toEqual(new Set([other!.id]));
      }
      await undo(play, 'process', drained!.id);
      await setSwitch(play, 'process', other!.id);
      const turnId = await play.send(play.bob, [[ONCE]]);
      await play.ended(turnId);
      expect(ownersOf(await play.journal(turnId), true)).toEqual(new Set([drained!.id]));
    }));

  it('as an orchestrator drives on what it has in hand', () =>
    Case.play({ of: { orchestrator: 1 } }, async (play) => {
      const turnId = await play.send(play.bob, [[LONG], [ONCE]]);
      await play.until('the call runs', () => play.world.starts.length > 0);
      const [only] = play.living('orchestrator');
      await setSwitch(play, 'process', only!.id);
      await play.ended(turnId);
      expect(ownersOf(await play.journal(turnId), true)).toEqual(new Set([only!.id]));
    }));

  it('as a worker finishes the calls in hand, takes no new ones, and takes calls again when that is undone', () =>
    Case.play({}, async (play) => {
      const turnId = await play.send(play.bob, [[LONG], [ONCE, ONCE, ONCE, ONCE]]);
      await play.until('the call runs', () => play.world.starts.length > 0);
      const [runner] = ownersOf(await play.journal(turnId), false);
      const [other] = play.living('worker').filter(({ id }) => id !== runner);
      await setSwitch(play, 'process', runner!);
      await play.ended(turnId);
      const { claims, steps } = await play.journal(turnId);
      const ownerOf = (id: string) => claims.find(({ _id }) => _id.startsWith(`${id}:`))?.owner;
      const owners = steps.map(({ calls }) => calls.map(({ tool_call_id }) => ownerOf(tool_call_id)));
      expect(owners).toEqual([[runner], [1, 2, 3, 4].map(() => other!.id), []]);
      await undo(play, 'process', runner!);
      await setSwitch(play, 'process', other!.id);
      const later = await play.send(play.bob, [[ONCE]]);
      await play.ended(later);
      expect(ownersOf(await play.journal(later), false)).toEqual(new Set([runner]));
    }));
});

describe('refused turns', () => {
  it('are refused as unavailable until that is undone; what was accepted before goes on', () =>
    Case.play({}, async (play) => {
      const { world, bob } = play;
      const before = await play.send(play.ann, [[LONG]]);
      await setSwitch(play, 'turns', 'all');
      await world.clock.sleep(KNOWN_MS);
      const sending = play.send(bob, []);
      await play.ended(before);
      await world.clock.sleep(5_000);
      const refusals = world.requests.filter(({ what }) => what === 'refused');
      expect(refusals.length).toBeGreaterThan(0);
      expect(refusals).toEqual(refusals.map(() => expect.objectContaining({ code: 'unavailable' })));
      await undo(play, 'turns', 'all');
      await play.ended(await sending);
    }));
});
