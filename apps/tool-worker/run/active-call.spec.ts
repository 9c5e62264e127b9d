import { expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { ActiveCall } from './active-call.js';

const MINUTE_MS = 60_000;

it('a call may be held for 20 minutes, not counting the time that it waits for a person', async () => {
  const clock = new VirtualClock(new SeededRandom(1));
  const hand = new ActiveCall(true, clock);
  await clock.advance(5 * MINUTE_MS);
  hand.beginAsking();
  await clock.advance(60 * MINUTE_MS);
  expect(hand.hold.leftMs).toBe(15 * MINUTE_MS);
  await hand.resume();
  await clock.advance(5 * MINUTE_MS);
  expect(hand.hold.leftMs).toBe(10 * MINUTE_MS);
  await clock.advance(60 * MINUTE_MS);
  expect(hand.hold.leftMs).toBe(0);
});
