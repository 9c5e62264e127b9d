import { describe, expect, it } from '@jest/globals';
import { letterReasonOf } from './letter-reason.js';

describe('the reason of a dead letter for operators', () => {
  it.each([
    ['delivery_limit', 'delivery_limit'],
    ['delivery_limit: body: a secret', 'delivery_limit'],
    ['rejected: not JSON', 'rejected: not JSON'],
    ['rejected: larger than 1048576 bytes', 'rejected: too large'],
    ['rejected: deeper than 32 levels', 'rejected: too deep'],
    ['rejected: version: unsupported version', 'rejected: version'],
    ['rejected: type a secret\n does not belong here', 'rejected: wrong queue'],
    ['rejected: this worker has no tool secret.name', 'rejected: unknown tool'],
    ['rejected: handler failed: a secret', 'rejected: handler failed'],
    ['rejected: a secret', 'rejected'],
    ['a secret', 'other'],
  ])('of %j is %j', (reason, told) => {
    expect(letterReasonOf(reason)).toBe(told);
  });
});
