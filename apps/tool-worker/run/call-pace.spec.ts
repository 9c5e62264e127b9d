import { expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { CallPace } from './call-pace.js';

it('counts the calls of the last minute, by toolset', async () => {
  const clock = new VirtualClock(new SeededRandom(1));
  const pace = new CallPace(clock);
  expect(pace.perSecond('math')).toBe(0);
  for (let i = 0; i < 30; i++) pace.ended('math');
  pace.ended('web');
  expect(pace.perSecond('math')).toBe(0.5);
  await clock.advance(30_000);
  for (let i = 0; i < 30; i++) pace.ended('math');
  expect(pace.perSecond('math')).toBe(1);
  await clock.advance(30_000);
  expect(pace.perSecond('math')).toBe(0.5);
  await clock.advance(60_000);
  expect([pace.perSecond('math'), pace.perSecond('web')]).toEqual([0, 0]);
});
