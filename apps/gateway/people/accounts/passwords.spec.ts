import { scryptSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BoundedWork } from './bounded-work.js';
import { Passwords } from './passwords.js';

describe('Passwords', () => {
  const passwords = new Passwords();

  it('verifies a password by its stored hash, which differs each time and includes its cost', async () => {
    const [first, second] = [
      await passwords.hash('a', 'correct horse'),
      await passwords.hash('a', 'correct horse'),
    ];
    expect(first).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
    expect(second).not.toBe(first);
    expect(first).not.toContain('correct');
    for (const stored of [first, second]) {
      expect(await passwords.isRight('a', 'correct horse', stored)).toBe(true);
      expect(await passwords.isRight('a', 'correct horsf', stored)).toBe(false);
    }
  });

  it('treats letters that look the same as equal, however they were typed', async () => {
    const stored = await passwords.hash('a', 'caf\u00e9 caf\u00e9');
    expect(await passwords.isRight('a', 'cafe\u0301 cafe\u0301', stored)).toBe(true);
  });

  it('verifies hashes that were made with another cost', async () => {
    const salt = Buffer.from('saltsaltsaltsalt');
    const hash = scryptSync('cheap horse', salt, 32, { N: 16, r: 1, p: 2 });
    const stored = `scrypt$16$1$2$${salt.toString('base64url')}$${hash.toString('base64url')}`;
    expect(await passwords.isRight('a', 'cheap horse', stored)).toBe(true);
    expect(await passwords.isRight('a', 'cheap house', stored)).toBe(false);
    await expect(passwords.isRight('a', 'cheap horse', 'cheap horse')).rejects.toThrow('cannot be read');
  });

  it('does the same work without an account, and accepts nothing', async () => {
    let derived = 0;
    const watched = new Passwords();
    const { work } = watched as unknown as { work: BoundedWork };
    const run = work.run.bind(work);
    work.run = (address, job) => run(address, job).finally(() => derived++);
    expect(await watched.isRight('a', 'whatever', undefined)).toBe(false);
    expect(derived).toBe(1);
  });
});

const everythingDone = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work that ends when it is told to, and the order in which it began. */
function setUp(limits: { atOnce: number; waiting: number }) {
  const refused: string[] = [];
  const work = new BoundedWork(limits, (network) => refused.push(network));
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (address: string, name: string) =>
    work.run(address, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    await everythingDone();
    ends.get(name)!();
    await everythingDone();
  };
  return { work, begun, refused, start, end };
}

describe('BoundedWork', () => {
  it('runs two jobs at once, then the next in line', async () => {
    const { begun, start, end } = setUp({ atOnce: 2, waiting: 2 });
    const all = ['1', '2', '3', '4'].map((name) => start('a', name));
    await everythingDone();
    expect(begun).toEqual(['1', '2']);
    await end('2');
    expect(begun).toEqual(['1', '2', '3']);
    const late = start('a', '5');
    await end('1');
    await end('3');
    expect(begun).toEqual(['1', '2', '3', '4', '5']);
    await end('4');
    await end('5');
    await Promise.all([...all, late]);
  });

  it('serves addresses in turn, regardless of how many jobs of one wait', async () => {
    const { begun, start, end } = setUp({ atOnce: 1, waiting: 10 });
    const all = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => start('10.0.0.1', name)),
      ...['b1', 'b2'].map((name) => start('2001:db8::1', name)),
      start('2001:db8::ffff', 'b3'),
      start('10.0.0.3', 'c1'),
    ];
    const order = ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'b3'];
    for (const name of order) await end(name);
    await Promise.all(all);
    expect(begun).toEqual(order);
  });

  it('refuses the newest job of the longest line when too many wait, never the only one of an address', async () => {
    const { begun, refused, start, end } = setUp({ atOnce: 1, waiting: 3 });
    const flood = ['a1', 'a2', 'a3', 'a4'].map((name) => start('10.0.0.1', name));
    const alone = start('10.0.0.2', 'b1');
    await expect(flood[3]).rejects.toMatchObject({ code: 'overloaded', retryAfterMs: 2_000 });
    await expect(start('10.0.0.1', 'a5')).rejects.toMatchObject({ code: 'overloaded' });
    expect(refused).toEqual(['10.0.0.1', '10.0.0.1']);
    for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
    await Promise.all([...flood.slice(0, 3), alone]);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('refuses a new address when every address has one job waiting, and continues afterwards', async () => {
    const { begun, start, end } = setUp({ atOnce: 1, waiting: 2 });
    const all = ['1', '2', '3'].map((name) => start(`10.0.0.${name}`, name));
    await expect(start('10.0.0.4', '4')).rejects.toMatchObject({ code: 'overloaded' });
    for (const name of ['1', '2', '3']) await end(name);
    await Promise.all(all);
    const next = start('10.0.0.4', '4');
    await end('4');
    await next;
    expect(begun).toEqual(['1', '2', '3', '4']);
  });

  it('passes the place of a failed job to the next one', async () => {
    const work = new BoundedWork({ atOnce: 1, waiting: 1 });
    const failing = work.run('a', () => Promise.reject(new Error('no')));
    const next = work.run('a', () => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
  });
});
