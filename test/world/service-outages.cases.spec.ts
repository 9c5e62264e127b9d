import { describe, expect, it } from '@jest/globals';
import type { PlannedCall } from '../soak/plan.js';
import { Case } from './case.js';
import type { Outage } from './strikes.js';

/** The broker's and the store's rows of docs/architecture.md, "Failures". */

const LONG: PlannedCall = { tool: 'once', takesMs: 6_000 };
const STEPS = [[LONG, { ...LONG, tool: 'repeat' as const }], [{ tool: 'once' as const, takesMs: 200 }]];
const ALL_WELL = [1, 2, 3].map(() => ({ end: 'success', starts: 1 }));
const OUTAGES: [string, Outage, number][] = [
  ['the broker restarts', 'broker_restart', 500],
  ['the broker restarts without its queues', 'broker_wiped', 500],
  ['the broker is down for 15 s', 'broker_restart', 15_000],
  ['the broker raises an alarm for 15 s', 'alarm', 15_000],
  ['the store is down for 30 s', 'store_away', 30_000],
];
/** Before a step, in a model's stream, between two calls, while tools run. */
const MOMENTS_MS = [10, 150, 600, 3_000];

describe.each(OUTAGES)('%s', (_what, how, forMs) => {
  it.each(MOMENTS_MS)('%d ms into a turn: no process counts as dead, and every tool starts once', (afterMs) =>
    Case.play({}, async (play) => {
      const message = play.message(STEPS);
      play.arm({ how, afterMs, forMs });
      const turnId = await play.send(play.bob, message);
      await play.ended(turnId);
      await play.world.clock.sleep(forMs);
      expect(await play.calls(turnId)).toEqual(ALL_WELL);
      const { claims } = await play.journal(turnId);
      expect(claims.filter(({ purpose }) => purpose === 'settle')).toEqual([]);
    }),
  );

  it('between turns: the next message is accepted, and everything works as before', () =>
    Case.play({}, async (play) => {
      play.arm({ how, afterMs: 0, forMs });
      await play.world.clock.sleep(forMs / 2);
      const turnId = await play.send(play.bob, STEPS);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual(ALL_WELL);
    }));
});

describe('a gateway without a connection to the broker', () => {
  it('stops a turn, and viewers of another gateway are told', () =>
    Case.play({}, async (play) => {
      const { ann, bob, world } = play;
      while (ann.gatewayPlace === bob.gatewayPlace) {
        bob.drop();
        await world.clock.sleep(5_000);
      }
      play
        .living('gateway')
        .find(({ place }) => place === bob.gatewayPlace)!
        .cutBus(20_000);
      const turnId = await play.send(bob, STEPS);
      await play.stop(bob, turnId);
      await play.until('Ann knows it', () => ann.hasSeenEnd(turnId), 7_000);
      expect((await play.journal(turnId)).steps.map(({ kind }) => kind)).toEqual(['cancel']);
    }));
});
