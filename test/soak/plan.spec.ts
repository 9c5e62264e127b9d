import { describe, expect, it } from '@jest/globals';
import { contentOf, findPlan, makePlan } from './plan.js';
import { Random } from './random.js';

const random = new Random(1);
const [first, second] = [makePlan('p1-1', random), makePlan('p1-2', random)];

describe('findPlan', () => {
  it('finds the last plan and the number of steps taken', () => {
    const results = [{ type: 'tool_result', tool_use_id: 'x' }];
    const messages = [
      { role: 'user', content: contentOf(first) },
      { role: 'assistant', content: [] },
      { role: 'user', content: [...results, { type: 'text', text: contentOf(second) }] },
      { role: 'assistant', content: [] },
      { role: 'user', content: results },
    ];
    expect(findPlan(messages)).toEqual({ plan: second, stepsTaken: 1 });
  });

  it('is undefined when there is no plan', () => {
    expect(findPlan([{ role: 'user', content: 'hello' }])).toBeUndefined();
  });
});
