import { describe, expect, it } from '@jest/globals';
import { toReadableText } from './readable-html.js';

const base = new URL('https://example.com/');
const textOf = (html: string) => toReadableText(html, base).text;

describe('toReadableText', () => {
  it('leaves out lines that have nothing but marks', () => {
    expect(textOf('<h2></h2><ul><li></li><li>one</li></ul><table><tr><td></td><td>-</td></tr></table>')).toBe(
      '- one',
    );
  });

  it('takes linear time for lines that look like marks almost to their end', () => {
    const line = '-'.repeat(100_000);
    // Of the processor: what else the machine does takes none of it.
    const before = process.cpuUsage();
    expect(textOf(`<p>${line}x</p><p>${'- '.repeat(50_000)}y</p>`)).toContain(`${line}x`);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  });
});
