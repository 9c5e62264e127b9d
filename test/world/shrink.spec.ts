import { expect, it } from '@jest/globals';
import { CALM } from './faults.js';
import { drawPlan } from './draw-plan.js';
import { shrink } from './shrink.js';

it('shrink keeps only the strikes and settings that break a world', async () => {
  const plan = drawPlan(7, { people: 3, turnsEach: 4 });
  const [, , , first] = plan.strikes;
  const second = plan.strikes[61];
  let tries = 0;
  const smallest = await shrink(plan, async ({ strikes, people }) => {
    tries++;
    return people > 1 && [first, second].every((strike) => strikes.includes(strike!));
  });
  expect(smallest.strikes).toEqual([first, second]);
  expect(smallest).toMatchObject({ seed: 7, people: 3, turnsEach: 1, weather: CALM, skewMs: 0 });
  expect(tries).toBeLessThan(plan.strikes.length);
});
