import { beforeEach, describe, expect, it } from '@jest/globals';
import { CircuitBreaker, type BreakerState, type CallEnd } from './circuit-breaker.js';

let now: number;
let states: BreakerState[];
let breaker: CircuitBreaker;

beforeEach(() => {
  now = 0;
  states = [];
  const settings = { failures: 3, minOpenMs: 1000, maxOpenMs: 3000 };
  breaker = new CircuitBreaker(settings, (state) => void states.push(state), { now: () => now });
});

function enter(): (end: CallEnd) => void {
  const pass = breaker.enter();
  if ('retryAfterMs' in pass) throw new Error('refused');
  return pass.ended;
}
const call = (...ends: CallEnd[]) => ends.forEach((end) => enter()(end));

describe('CircuitBreaker', () => {
  it('opens after failures in a row, and refuses calls with the time left', () => {
    call('failed', 'failed', 'answered', 'failed', 'unknown', 'failed');
    expect(states).toEqual([]);
    call('failed');
    expect(states).toEqual(['open']);
    now = 400;
    expect(breaker.enter()).toEqual({ retryAfterMs: 600 });
  });

  it('admits one call after the pause and closes on its answer', () => {
    call('failed', 'failed', 'failed');
    now = 1000;
    const probe = enter();
    expect(breaker.enter()).toEqual({ retryAfterMs: 1000 });
    probe('answered');
    call('failed', 'failed');
    expect(states).toEqual(['open', 'half_open', 'closed']);
  });

  it('counts only the first report of a call’s end', () => {
    const early = enter();
    early('answered');
    call('failed', 'failed');
    early('answered');
    call('failed');
    expect(states).toEqual(['open']);
  });

  it('stays open longer after each failed probe, up to a limit', () => {
    call('failed', 'failed', 'failed');
    const opened: unknown[] = [];
    for (let probe = 0; probe < 3; probe++) {
      now += 3000;
      call('failed');
      opened.push(breaker.enter());
    }
    expect(opened).toEqual([{ retryAfterMs: 2000 }, { retryAfterMs: 3000 }, { retryAfterMs: 3000 }]);
  });

  it('admits the next call when a probe was stopped, and ignores calls from before it opened', () => {
    const early = enter();
    call('failed', 'failed', 'failed');
    now = 500;
    early('failed');
    expect(breaker.enter()).toEqual({ retryAfterMs: 500 });
    now = 1000;
    enter()('unknown');
    enter()('answered');
    expect(states).toEqual(['open', 'half_open', 'open', 'half_open', 'closed']);
  });
});
