import { expect, it, jest } from '@jest/globals';
import { Refusals } from './refusals.js';

it('refusals are logged at once for the first of a limit, and as a count a minute later', () => {
  const time = { now: 0 };
  const [inc, warn] = [jest.fn(), jest.fn()];
  const refusals = new Refusals({ inc }, { warn }, { now: () => time.now });
  refusals.note('sockets', { address: '192.0.2.1' });
  refusals.note('sockets');
  time.now = 59_999;
  refusals.note('sockets');
  refusals.note('http_requests');
  time.now = 60_000;
  refusals.note('sockets');
  expect(inc.mock.calls).toHaveLength(5);
  expect(warn.mock.calls.map(([fields]) => fields)).toEqual([
    { limit: 'sockets', refused: 1, address: '192.0.2.1' },
    { limit: 'http_requests', refused: 1 },
    { limit: 'sockets', refused: 3 },
  ]);
});
