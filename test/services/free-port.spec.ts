import { expect, it } from '@jest/globals';
import { findFreePort } from './free-port.js';

it('a free port is not returned again before its user could listen on it', async () => {
  const found: number[] = [];
  for (let n = 0; n < 1_000; n++) found.push(await findFreePort());
  expect(new Set(found).size).toBe(found.length);
});
