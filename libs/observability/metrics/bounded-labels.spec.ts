import { describe, expect, it } from '@jest/globals';
import { BoundedLabels, maxSeries } from './bounded-labels.js';

const labels = { toolset: 'open', outcome: ['ok', 'error'] } as const;

describe('bounded labels', () => {
  it('keep the names of the first combinations and replace later ones by other', () => {
    const bounded = new BoundedLabels(labels, 2);
    const first = { toolset: 'math', outcome: 'ok' } as const;
    const second = { toolset: 'math', outcome: 'error' } as const;
    expect([first, second].map((values) => bounded.bound(values))).toEqual([first, second]);
    expect(bounded.bound({ toolset: 'web', outcome: 'ok' })).toEqual({ toolset: 'other', outcome: 'ok' });
    expect(bounded.bound(first)).toEqual(first);
  });

  it('do not touch labels whose values are all known', () => {
    const bounded = new BoundedLabels({ outcome: ['ok', 'error'] }, 0);
    expect(bounded.bound({ outcome: 'error' })).toEqual({ outcome: 'error' });
  });

  it('tell one combination from another whatever characters the values have', () => {
    const bounded = new BoundedLabels({ a: 'open', b: 'open' }, 2);
    const values = [
      { a: 'x,y', b: 'z' },
      { a: 'x', b: 'y,z' },
    ];
    expect(values.map((given) => bounded.bound(given))).toEqual(values);
  });

  it('never have more series than maxSeries says', () => {
    const bounded = new BoundedLabels(labels, 5);
    const seen = new Set<string>();
    for (let i = 0; i < 100; i++) {
      for (const outcome of labels.outcome)
        seen.add(JSON.stringify(bounded.bound({ toolset: `t${i}`, outcome })));
    }
    expect(seen.size).toBe(maxSeries(labels, 5));
  });
});
