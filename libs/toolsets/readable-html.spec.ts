import { describe, expect, it } from '@jest/globals';
import { toReadableText } from './readable-html.js';

const base = new URL('https://example.com/');
const textOf = (html: string) => toReadableText(html, base).text;

describe('toReadableText', () => {
  it('omits lines that contain only markup', () => {
    expect(textOf('<h2></h2><ul><li></li><li>one</li></ul><table><tr><td></td><td>-</td></tr></table>')).toBe(
      '- one',
    );
  });

  it('reads lines that look like markup almost to their end', () => {
    const line = '-'.repeat(100_000);
    // A search that tries each way to divide them would not come to an end.
    expect(textOf(`<p>${line}x</p><p>${'- '.repeat(50_000)}y</p>`)).toContain(`${line}x`);
  });

  it('reads up to 1,000 nested elements: the work for each tag grows with the open ones', () => {
    const nested = (depth: number) => toReadableText(`${'<i>'.repeat(depth)}end`, base);
    expect(nested(1_000)).toMatchObject({ text: 'end', isCut: false });
    expect(nested(1_001)).toMatchObject({ text: '', isCut: true });
  });
});
