import { describe, expect, it } from '@jest/globals';
import { refuseExcess } from './excess-calls.js';

const limits = { identicalCalls: 2, thinkingCalls: 3 };
const search = (args: Record<string, unknown>) => ({ tool_name: 'web.search', arguments: args });
const think = (thought: string) => ({
  tool_name: 'thinking.sequentialthinking',
  arguments: { thought },
});

describe('a call that repeats earlier ones of its turn', () => {
  it('is refused from the third time on, regardless of the order of its keys', () => {
    const nested = search({ query: 'x', range: { from: 1, to: 2 } });
    const turned = search({ range: { to: 2, from: 1 }, query: 'x' });
    expect(refuseExcess(nested, [], limits)).toBeUndefined();
    expect(refuseExcess(nested, [turned], limits)).toBeUndefined();
    expect(refuseExcess(nested, [turned, nested], limits)).toEqual({
      error_type: 'ApiLimitExceeded',
      error_message:
        'You have already asked for exactly this call twice in this turn. It was not run again. ' +
        'Use the results that you have, change the arguments, or answer.',
      error_details: { constraint: 'at most 2 identical calls in a turn', started: false },
    });
    expect(refuseExcess(nested, [turned, nested, turned], limits)?.error_message).toContain('3 times');
  });

  it('differs by its arguments, its tool, and the order of a list', () => {
    const asked = search({ tags: ['a', 'b'] });
    const others = [
      search({ tags: ['b', 'a'] }),
      search({ tags: ['a', 'b'], limit: 1 }),
      search({ tags: 'a,b' }),
      { ...asked, tool_name: 'web.news' },
    ];
    expect(refuseExcess(asked, [...others, ...others, asked], limits)).toBeUndefined();
  });

  it('may run as often as configured', () => {
    const asked = search({ query: 'x' });
    const four = Array<typeof asked>(4).fill(asked);
    expect(refuseExcess(asked, four, { ...limits, identicalCalls: 5 })).toBeUndefined();
    expect(refuseExcess(asked, [asked], { ...limits, identicalCalls: 1 })?.error_message).toContain('once');
  });
});

describe('a call of the sequential-thinking tool', () => {
  it('is refused past the limit, with an instruction for the model to answer', () => {
    const two = [think('1'), think('2')];
    expect(refuseExcess(think('3'), [...two, search({}), search({ a: 1 })], limits)).toBeUndefined();
    expect(refuseExcess(think('4'), [...two, think('3')], limits)).toMatchObject({
      error_type: 'ApiLimitExceeded',
      error_message: expect.stringMatching(/limit.*Answer now/s),
    });
  });

  it('does not count for other tools', () => {
    const many = ['1', '2', '3', '4'].map(think);
    expect(refuseExcess(search({}), many, limits)).toBeUndefined();
  });
});
