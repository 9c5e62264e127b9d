import { describe, expect, it } from '@jest/globals';
import { parseRetryAfterMs } from './retry-after.js';
import { SearchPace } from './search-pace.js';

describe('SearchPace', () => {
  it('allows 30 searches a minute, and says how long the next one must wait', () => {
    let now = 1000;
    const pace = new SearchPace({ now: () => now });
    for (let n = 0; n < 30; n++) expect(pace.take()).toBe(0);
    now += 15_000;
    expect(pace.take()).toBe(45_000);
    now += 45_000;
    expect(pace.take()).toBe(0);
  });

  it('allows none during a pause, which is at most ten minutes', () => {
    let now = 0;
    const pace = new SearchPace({ now: () => now });
    pace.pause(3000);
    expect(pace.take()).toBe(3000);
    now = 3000;
    expect(pace.take()).toBe(0);
    pace.pause(1e9);
    expect(pace.take()).toBe(600_000);
  });
});

describe('retryAfterMs', () => {
  it.each([
    ['3', 3000],
    ['0', 0],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 59_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('%j is %j', (header, ms) => expect(parseRetryAfterMs(header, 1000)).toBe(ms));
});
