import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LEAST_SHARE, mayEnter, partOf, type QueueUse } from './fair-share.js';

const uses: fc.Arbitrary<QueueUse> = fc.record({
  places: fc.integer({ min: 1, max: 64 }),
  inAll: fc.nat(200),
  own: fc.nat(100),
  users: fc.integer({ min: 1, max: 30 }),
  share: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
});

describe('the share of a user', () => {
  it('admits everything of any user while nothing waits', () => {
    fc.assert(fc.property(uses, (use) => mayEnter({ ...use, inAll: Math.min(use.inAll, use.places) })));
  });

  it('is not exceeded while calls wait and others are active', () => {
    fc.assert(
      fc.property(uses, (use) => {
        fc.pre(use.inAll > use.places && use.users > 1);
        const limit = Math.max(LEAST_SHARE, Math.floor(use.places * use.share));
        return !mayEnter(use) || use.own + 1 <= limit;
      }),
    );
  });

  it('is never less than two', () => {
    fc.assert(fc.property(uses, (use) => mayEnter({ ...use, own: use.own % LEAST_SHARE })));
  });

  it('does not grow with the number of others or of existing calls', () => {
    fc.assert(
      fc.property(uses, (use) => {
        const fuller = { ...use, inAll: use.inAll + 1, own: use.own + 1 };
        return (
          mayEnter(use) || (!mayEnter(fuller) && partOf({ ...use, users: use.users + 1 }) <= partOf(use))
        );
      }),
    );
  });

  it('is unlimited when it is everything, or when the number of places is unknown', () => {
    const use = { inAll: 500, own: 400, users: 3 };
    expect(mayEnter({ ...use, places: 16, share: 1 })).toBe(true);
    expect(mayEnter({ ...use, places: 0, share: 0.25 })).toBe(true);
  });

  it('lets a lone user keep a few waiting, and no more', () => {
    const alone = { places: 16, users: 1, share: 0.25 };
    expect(mayEnter({ ...alone, inAll: 19, own: 19 })).toBe(true);
    expect(mayEnter({ ...alone, inAll: 20, own: 20 })).toBe(false);
  });
});
