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

it('reads once for all who ask within its time, each key apart', async () => {
  const { time, asked, get } = setUp();
  expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual(['a', 'a', 'b']);
  time.now = 999;
  await get('a');
  expect(asked).toEqual(['a', 'b']);
  time.now = 1_000;
  await get('a');
  expect(asked).toEqual(['a', 'b', 'a']);
});

it('forgets the oldest key for one that is new, and what it is told to', async () => {
  const { asked, reads, get } = setUp();
  for (const key of ['a', 'b', 'c', 'b', 'a']) await get(key);
  expect(asked).toEqual(['a', 'b', 'c', 'a']);
  reads.forget('a');
  await get('a');
  expect(asked).toHaveLength(5);
});

it('remembers no read that failed, and keeps the one that came after it', async () => {
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
