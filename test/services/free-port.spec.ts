import { expect, it } from '@jest/globals';
import { findFreePort } from './free-port.js';

it('a port that was found is not found again before somebody had the time to listen on it', async () => {
  const found: number[] = [];
  for (let n = 0; n < 1_000; n++) found.push(await findFreePort());
  expect(new Set(found).size).toBe(found.length);
});
