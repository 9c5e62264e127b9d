import { expect, it } from '@jest/globals';
import { FreshReads } from './fresh-reads.js';

function setUp() {
  const time = { now: 0 };
  const asked: string[] = [];
  const reads = new FreshReads<string>({ now: () => time.now }, { freshMs: 1_000, maxRemembered: 2 });
  const get = (key: string, answer = Promise.resolve(key)) =>
    reads.get(key, () => {
      asked.push(key);
      return answer;
    });
  return { time, asked, reads, get };
}

it('FreshReads reads once for all callers within its time, separately for each key', async () => {
  const { time, asked, get } = setUp();
  expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual(['a', 'a', 'b']);
  time.now = 999;
  await get('a');
  expect(asked).toEqual(['a', 'b']);
  time.now = 1_000;
  await get('a');
  expect(asked).toEqual(['a', 'b', 'a']);
});

it('FreshReads evicts the oldest key for a new one, and forgets a key on request', async () => {
  const { asked, reads, get } = setUp();
  for (const key of ['a', 'b', 'c', 'b', 'a']) await get(key);
  expect(asked).toEqual(['a', 'b', 'c', 'a']);
  reads.forget('a');
  await get('a');
  expect(asked).toHaveLength(5);
});

it('FreshReads does not cache a failed read, and keeps a later one', async () => {
  const { time, asked, get } = setUp();
  await expect(get('a', Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await get('a')).toBe('a');
  let fail = (_error: Error): void => undefined;
  const slow = get('b', new Promise((_resolve, reject) => (fail = reject)));
  time.now = 1_000;
  await get('b');
  fail(new Error('late'));
  await expect(slow).rejects.toThrow('late');
  await get('b');
  expect(asked).toEqual(['a', 'a', 'b', 'b']);
});
