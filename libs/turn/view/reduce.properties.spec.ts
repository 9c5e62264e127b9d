import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { statusOf } from '../journal/journal.js';
import { Delivery, Watch, type Shown } from '../testing/delivery.js';
import { Tape } from '../testing/tape.js';
import { choices, simulate } from '../testing/walks.js';
import type { Frame, World } from '../testing/world.js';
import { reduce } from './reduce.js';
import { turnViewOf, viewOf } from './view-of.js';

const finalView = (world: World) =>
  viewOf(world.conversation, world.frames.at(-1)!.journals, false, world.frames.at(-1)!.partials);

/** Turns that wait for people: nothing about them is on its way, so they must be shown exactly, for days. */
const parkedTurns = (frame: Frame) =>
  frame.journals
    .filter((journal) => statusOf(journal) === 'awaiting_input')
    .map((journal) => turnViewOf(journal));

describe('reduce', () => {
  it('arrives at exactly the state of the rows, regardless of how events of several publishers interleave and repeat', () => {
    let gaps = 0;
    let runsWithoutGap = 0;
    let parked = 0;
    const property = fc.property(choices(600), choices(900), (walk, order) => {
      const { world } = simulate(walk);
      const watch = new Watch(world);
      const checkShown = ({ gateway }: Shown) => watch.check(gateway);
      const delivery = new Delivery(world, new Tape(order), false, checkShown, (frame, { gateway }) => {
        for (const turn of parkedTurns(frame)) {
          parked += 1;
          expect(gateway.turns.find(({ turn_id }) => turn_id === turn.turn_id)).toStrictEqual(turn);
        }
      });
      delivery.run();
      gaps += delivery.gaps;
      if (delivery.gaps === 0) runsWithoutGap += 1;
      expect(delivery.shown.gateway).toStrictEqual(finalView(world));
    });
    fc.assert(property, { numRuns: 200 });
    // Neither may be what makes the property hold everywhere.
    expect(gaps).toBeGreaterThan(0);
    expect(runsWithoutGap).toBeGreaterThan(0);
    expect(parked).toBeGreaterThan(0);
  });

  it('never shows unsent text or reverts a call when events are lost, and a snapshot heals it', () => {
    const property = fc.property(choices(600), choices(900), (walk, order) => {
      const { world } = simulate(walk);
      const watch = new Watch(world);
      const delivery = new Delivery(world, new Tape(order), true, ({ gateway }) => watch.check(gateway));
      delivery.run();
      const view = finalView(world);
      watch.check(view);
      const snapshot = {
        type: 'snapshot' as const,
        conversation_id: view.conversation_id,
        timestamp: '',
        view,
      };
      expect(reduce(delivery.shown.gateway, snapshot)).toStrictEqual(view);
    });
    fc.assert(property, { numRuns: 120 });
  });

  it('gives a page that receives only the gateway’s relayed events the same view at every moment', () => {
    const property = fc.property(choices(600), choices(900), fc.boolean(), (walk, order, isLossy) => {
      const { world } = simulate(walk);
      const delivery = new Delivery(world, new Tape(order), isLossy, ({ gateway, page }) => {
        if (JSON.stringify(page) !== JSON.stringify(gateway)) expect(page).toStrictEqual(gateway);
      });
      delivery.run();
      expect(delivery.shown.page).toStrictEqual(delivery.shown.gateway);
    });
    fc.assert(property, { numRuns: 100 });
  });
});
