import { scryptSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BoundedWork } from './bounded-work.js';
import { Passwords } from './passwords.js';

describe('Passwords', () => {
  const passwords = new Passwords();

  it('knows a password by what is stored of it, which is another text each time and says its cost', async () => {
    const [first, second] = [await passwords.hash('correct horse'), await passwords.hash('correct horse')];
    expect(first).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
    expect(second).not.toBe(first);
    expect(first).not.toContain('correct');
    for (const stored of [first, second]) {
      expect(await passwords.isRight('correct horse', stored)).toBe(true);
      expect(await passwords.isRight('correct horsf', stored)).toBe(false);
    }
  });

  it('takes letters as they look, however they were typed', async () => {
    const stored = await passwords.hash('caf\u00e9 caf\u00e9');
    expect(await passwords.isRight('cafe\u0301 cafe\u0301', stored)).toBe(true);
  });

  it('understands what was made with another cost', async () => {
    const salt = Buffer.from('saltsaltsaltsalt');
    const hash = scryptSync('cheap horse', salt, 32, { N: 16, r: 1, p: 2 });
    const stored = `scrypt$16$1$2$${salt.toString('base64url')}$${hash.toString('base64url')}`;
    expect(await passwords.isRight('cheap horse', stored)).toBe(true);
    expect(await passwords.isRight('cheap house', stored)).toBe(false);
    await expect(passwords.isRight('cheap horse', 'cheap horse')).rejects.toThrow('cannot be read');
  });

  it('does the work for nobody too, and nothing is right then', async () => {
    let derived = 0;
    const watched = new Passwords();
    const { work } = watched as unknown as { work: BoundedWork };
    const run = work.run.bind(work);
    work.run = (job) => run(job).finally(() => derived++);
    expect(await watched.isRight('whatever', undefined)).toBe(false);
    expect(derived).toBe(1);
  });
});

const everythingDone = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('BoundedWork', () => {
  it('lets two work at once, then the next in line, and refuses who finds the line full', async () => {
    const work = new BoundedWork({ atOnce: 2, waiting: 2 });
    const ends: (() => void)[] = [];
    const begun: number[] = [];
    const start = (n: number) =>
      work.run(() => {
        begun.push(n);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const all = [1, 2, 3, 4].map(start);
    await expect(start(5)).rejects.toMatchObject({ code: 'overloaded', retryAfterMs: 2_000 });
    expect(begun).toEqual([1, 2]);
    ends[1]!();
    await all[1];
    await everythingDone();
    expect(begun).toEqual([1, 2, 3]);
    const late = start(6);
    ends[0]!();
    ends[2]!();
    await Promise.all([all[0], all[2]]);
    await everythingDone();
    expect(begun).toEqual([1, 2, 3, 4, 6]);
    for (const end of ends) end();
    await Promise.all([...all, late]);
  });

  it('gives the place of work that failed to the next one', async () => {
    const work = new BoundedWork({ atOnce: 1, waiting: 1 });
    const failing = work.run(() => Promise.reject(new Error('no')));
    const next = work.run(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
  });
});
