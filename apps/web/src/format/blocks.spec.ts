import { describe, expect, it } from '@jest/globals';
import { splitBlocks } from './blocks.js';

describe('blocks of a growing text', () => {
  it('are cut at blank lines', () => {
    expect(splitBlocks('one\nstill one\n\ntwo\n\n\nthree\n')).toEqual(['one\nstill one', 'two', 'three']);
  });

  it('keep a fence whole, even while it is open', () => {
    expect(splitBlocks('a\n\n```js\nx\n\ny\n```\n\nb')).toEqual(['a', '```js\nx\n\ny\n```', 'b']);
    expect(splitBlocks('```\nx\n\ny')).toEqual(['```\nx\n\ny']);
    expect(splitBlocks('````\n```\n\nx\n````\n\nb')).toEqual(['````\n```\n\nx\n````', 'b']);
  });

  it('keep a list with blank lines whole', () => {
    expect(splitBlocks('1. a\n\n2. b\n\n   more of b\n\nend')).toEqual([
      '1. a\n\n2. b\n\n   more of b',
      'end',
    ]);
  });

  it('are a single block when a definition refers to all of them', () => {
    expect(splitBlocks('see [a]\n\n[a]: https://a.example')).toHaveLength(1);
  });

  it('are empty for an empty text', () => {
    expect(splitBlocks('')).toEqual([]);
    expect(splitBlocks('\n\n')).toEqual([]);
  });

  it('change only at the end while the text grows', () => {
    const text = '# Title\n\nfirst paragraph\n\n- a\n- b\n\n```sql\nselect 1\n```\n\nlast words';
    let before: string[] = [];
    for (let length = 1; length <= text.length; length++) {
      const now = splitBlocks(text.slice(0, length));
      const finished = before.slice(0, -1);
      expect(now.slice(0, finished.length)).toEqual(finished);
      before = now;
    }
    expect(before).toHaveLength(5);
  });
});
