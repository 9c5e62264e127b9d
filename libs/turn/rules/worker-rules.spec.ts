import { describe, expect, it } from '@jest/globals';
import { decideDelivery, decideLostConnection } from './worker-rules.js';

const HOUR_MS = 3_600_000;

describe('a delivered call', () => {
  it('is claimed until its deadline, then refused, and dropped an hour later', () => {
    expect(decideDelivery(1_000, 1_000)).toEqual({ do: 'claim' });
    expect(decideDelivery(1_000, 1_001)).toMatchObject({
      do: 'refuse',
      error: { error_type: 'TimeoutError', error_details: { started: false } },
    });
    expect(decideDelivery(1_000, 1_000 + HOUR_MS)).toMatchObject({ do: 'refuse' });
    expect(decideDelivery(1_000, 1_001 + HOUR_MS)).toEqual({ do: 'drop' });
  });
});

describe('a tool whose connection broke while it ran', () => {
  it('is run again if its class allows it, at most three times and not after Stop', () => {
    const run = { class: 'idempotent', attempt: 2, attempts: 3, stopped: false } as const;
    expect(decideLostConnection(run)).toBe('claim_again');
    expect(decideLostConnection({ ...run, attempt: 3 })).toBe('give_up');
    expect(decideLostConnection({ ...run, stopped: true })).toBe('give_up');
    expect(decideLostConnection({ ...run, class: 'once' })).toBe('unknown');
  });
});
