import { describe, expect, it } from '@jest/globals';
import { FairLines } from './fair-lines.js';

function linesOf(...items: string[]): FairLines<string> {
  const lines = new FairLines<string>();
  for (const item of items) lines.add(item[0]!, item);
  return lines;
}

const takeAll = (lines: FairLines<string>) => Array.from({ length: lines.size }, () => lines.takeNext());

describe('FairLines', () => {
  it('serve lines in turn, regardless of their length', () => {
    const lines = linesOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
    expect(takeAll(lines)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect([lines.size, lines.takeNext()]).toEqual([0, undefined]);
  });

  it('skip lines that may not go', () => {
    const lines = linesOf('a1', 'b1', 'b2');
    expect(lines.takeNext((network) => network !== 'a')).toBe('b1');
    expect(takeAll(lines)).toEqual(['a1', 'b2']);
  });

  it('give up the newest request of the longest line when they are full', () => {
    const lines = linesOf('a1', 'b1', 'b2');
    expect(lines.takeSurplus()).toEqual({ network: 'b', item: 'b2' });
    expect(lines.takeSurplus()).toEqual({ network: 'b', item: 'b1' });
    expect(lines.size).toBe(1);
  });

  it('remove a request that has left, once', () => {
    const lines = linesOf('a1', 'a2');
    expect([lines.delete('a', 'a1'), lines.delete('a', 'a1'), lines.delete('b', 'a2')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([lines.size, takeAll(lines)]).toEqual([1, ['a2']]);
  });
});
