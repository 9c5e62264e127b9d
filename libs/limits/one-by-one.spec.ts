import { describe, expect, it } from '@jest/globals';
import { OneByOne } from './one-by-one.js';

function createWork() {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      ends.set(name, (error) => (error ? reject(error) : resolve(name)));
    });
  return { begun, work, end: (name: string, error?: Error) => ends.get(name)!(error) };
}

describe('work one by one', () => {
  it('begins when the work before it of the same key has ended, also when that failed', async () => {
    const lines = new OneByOne();
    const { begun, work, end } = createWork();
    const [a, b, other] = [
      lines.run('ann', work('a')),
      lines.run('ann', work('b')),
      lines.run('bob', work('other')),
    ];
    await Promise.resolve();
    expect(begun).toEqual(['a', 'other']);
    end('a', new Error('broken'));
    await expect(a).rejects.toThrow('broken');
    await Promise.resolve();
    expect(begun).toEqual(['a', 'other', 'b']);
    end('b');
    end('other');
    expect(await Promise.all([b, other])).toEqual(['b', 'other']);
  });

  it('keeps nothing of a key whose work has ended', async () => {
    const lines = new OneByOne();
    await Promise.all([lines.run('ann', async () => 1), lines.run('ann', async () => 2)]);
    await Promise.resolve();
    expect(lines.size).toBe(0);
  });
});
