import { describe, expect, it } from '@jest/globals';
import { makeEarlierTurnsDue } from '#bootstrap';
import { Case } from './case.js';
import { KINDS, type Kind } from './kinds.js';

/**
 * The row "standalone" (docs/architecture.md, "Failures"): one of each role, all of which die at once
 * and with them the bus. The store is what is left.
 */

const ONE_OF_EACH = { of: { gateway: 1, orchestrator: 1, worker: 1 } };
const STARTS_AFTER_MS = 500;
/** From the start of the roles. */
const GOES_ON_WITHIN_MS = 5_000;

async function killAndStartAgain(play: Case): Promise<void> {
  const { world } = play;
  for (const process of world.living()) world.end(process, 'kill');
  world.restartBroker(STARTS_AFTER_MS, { isWiped: true });
  await world.clock.sleep(2 * STARTS_AFTER_MS);
  // As libs/store/libsql/open-database.ts does for whoever gets the lock.
  for (const { _id } of await world.database.listProcesses()) await world.database.removeProcess(_id);
  await makeEarlierTurnsDue(world.database, world.clock.wall());
  for (const kind of Object.keys(KINDS) as Kind[]) play.start(kind);
}

describe('a standalone process that is killed and started again', () => {
  it.each([
    ['once', { end: 'OutcomeUnknown', starts: 1 }],
    ['repeat', { end: 'success', starts: 2 }],
  ] as const)('during a %s tool: starts the tool again only if its class allows it', (tool, call) =>
    Case.play(ONE_OF_EACH, async (play) => {
      const turnId = await play.send(play.bob, [[{ tool, takesMs: 3_000 }]]);
      await play.until('the start of the tool', () => play.world.starts.length === 1);
      await killAndStartAgain(play);
      await play.until('the end of the turn', () => play.bob.hasSeenEnd(turnId), GOES_ON_WITHIN_MS);
      expect(await play.calls(turnId)).toEqual([call]);
    }),
  );

  it('during a model stream: repeats the request, and viewers have the new text', () =>
    Case.play(ONE_OF_EACH, async (play) => {
      const asked = play.world.modelRequests;
      const turnId = await play.send(play.bob, []);
      await play.until('a request of the model', () => play.world.modelRequests > asked);
      await killAndStartAgain(play);
      await play.until('the end of the turn', () => play.bob.hasSeenEnd(turnId), GOES_ON_WITHIN_MS);
      expect(play.world.modelRequests - asked).toBe(2);
    }));

  it('after an unannounced turn was inserted: drives the turn', () =>
    Case.play(ONE_OF_EACH, async (play) => {
      const message = play.message([[{ tool: 'once', takesMs: 200 }]]);
      play.killAt('gateway', 'turn_inserted');
      void play.bob.ask('message', message);
      await play.until('the end of the gateway', () => play.living('gateway').length === 0);
      await killAndStartAgain(play);
      const turnId = await play.send(play.bob, message);
      await play.until('the end of the turn', () => play.bob.hasSeenEnd(turnId), GOES_ON_WITHIN_MS);
      expect(await play.calls(turnId)).toEqual([{ end: 'success', starts: 1 }]);
    }));
});
