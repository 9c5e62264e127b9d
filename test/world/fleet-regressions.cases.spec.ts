import { describe, expect, it } from '@jest/globals';
import type { ConversationEvent } from '#contracts';
import { decodeEvent } from '../../libs/messaging/port/event-codec.js';
import { Case } from './case.js';
import { STEADY } from './faults.js';
import { WORLD_TOOLS } from './simulated-tools.js';

/** Mistakes of the past that hung on when processes came, went or stood still. */

const ONCE = [[{ tool: 'once' as const, takesMs: 300 }]];
const RAN = [{ end: 'success', starts: 1 }];
const SEEDS = [1, 2, 3, 4];
const TOOLS = WORLD_TOOLS.length;
/** The next announcement is due after 10 s, and whether one is due is looked at every second. */
const OFFERED_AGAIN_MS = 13_000;

const offered = ({ world }: Case) =>
  world.gateways().map(({ gateway }) => gateway!.offeredTools.listAll().length);

describe('a worker', () => {
  it.each(SEEDS)('does not count as dead when it claims right after a stall (seed %d)', (seed) =>
    Case.play({ seed, of: { worker: 1 } }, async (play) => {
      const [worker] = play.living('worker');
      const { clock } = play.world;
      worker!.freeze();
      await clock.sleep(15_000);
      worker!.thaw();
      // Its tools come back with its next announcement.
      await play.until('the tools', () => offered(play).every((count) => count === TOOLS), 35_000);
      worker!.freeze();
      await clock.sleep(9_000);
      const turnId = await play.send(play.bob, ONCE);
      worker!.thaw();
      await play.ended(turnId);
      expect((await play.calls(turnId)).map(({ end }) => end)).not.toContain('OutcomeUnknown');
    }),
  );

  it('is replaced without a moment in which no worker offers its tools', () =>
    Case.play({ of: { worker: 1 } }, async (play) => {
      const { world } = play;
      const [old] = play.living('worker');
      const next = play.start('worker');
      await play.until('the next worker', () => next.isReady);
      void old!.stop();
      for (let looks = 0; looks < 400; looks++) {
        expect(offered(play)).toEqual([TOOLS, TOOLS]);
        await world.clock.sleep(25);
      }
      const turnId = await play.send(play.bob, ONCE);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual(RAN);
    }));

  it.each([2, 10, 30, 60, 100, 1_000])(
    'announces its tools again when the broker lost the announcement (broker gone %d ms after its start)',
    (afterMs) =>
      Case.play({ of: { worker: 1 } }, async (play) => {
        const { world } = play;
        play.killOne('worker');
        await world.clock.sleep(10_000);
        play.start('worker');
        await world.clock.sleep(afterMs);
        world.restartBroker(500);
        await play.until(
          'the tools being offered',
          () => String(offered(play)) === `${TOOLS},${TOOLS}`,
          OFFERED_AGAIN_MS,
        );
      }),
  );

  it('cannot announce while the broker is down, and its tools stay offered', () =>
    Case.play({}, async (play) => {
      const { world } = play;
      world.restartBroker(120_000);
      for (let looks = 0; looks < 140; looks++) {
        expect(offered(play)).toEqual([TOOLS, TOOLS]);
        await world.clock.sleep(1_000);
      }
      const turnId = await play.send(play.bob, ONCE);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual(RAN);
    }));
});

describe('an orchestrator', () => {
  it.each(SEEDS)('emits nothing more of an answer when it stalled and was replaced (seed %d)', (seed) =>
    Case.play({ seed }, async (play) => {
      const { world } = play;
      const old: ConversationEvent[] = [];
      // It has much to say yet when it thaws.
      world.faults.model = { ...STEADY, stalls: 1 };
      const keep = (event: ConversationEvent) => {
        if (event.type === 'token' && event.attempt === 100) old.push(event);
      };
      play.arm({
        how: 'freeze',
        kind: 'orchestrator',
        point: 'token_streamed',
        afterMs: 0,
        forMs: 40_000,
      });
      const turnId = await play.send(play.bob, []);
      await play.ended(turnId);
      await play.thawed();
      world.broker.memory.follow(play.conversationId, (content) => keep(decodeEvent(content)!));
      // As long as the word takes that is on its way.
      await world.clock.sleep(100);
      old.length = 0;
      await world.clock.sleep(5_000);
      expect(old).toEqual([]);
    }),
  );

  it.each([0, 20, 40, 60])(
    'that stalled during the roll call (from %d ms on) still offers the tools',
    (afterMs) =>
      Case.play({ of: { orchestrator: 1 } }, async (play) => {
        const { world } = play;
        const next = play.start('orchestrator');
        await world.clock.sleep(afterMs);
        next.freeze();
        await world.clock.sleep(4_000);
        play.killOne('orchestrator');
        next.thaw();
        const turnId = await play.send(play.bob, ONCE);
        await play.ended(turnId);
        expect(await play.calls(turnId)).toEqual(RAN);
      }),
  );
});
