import { describe, expect, it } from '@jest/globals';
import { toolResultSchema } from '#contracts';
import { plainText } from '#contracts';
import { MAX_ARTIFACT_BYTES } from './make-artifact.js';
import { MAX_INLINE_BYTES, outputBudget } from './output-budget.js';
import { success } from './tool-result.js';

describe('outputBudget', () => {
  it('leaves 32 KiB unchanged', () => {
    const result = success('x'.repeat(MAX_INLINE_BYTES));
    expect(outputBudget(result)).toEqual({ result });
  });

  it('keeps head and tail of a larger output, describes it and returns the full text', () => {
    const text = `first ${'x'.repeat(100 * 1024)} last`;
    const { result, overflow } = outputBudget(success(text));
    const shown = plainText(result);
    expect(Buffer.byteLength(shown)).toBeLessThan(MAX_INLINE_BYTES);
    expect(shown).toMatch(/^first x+\n\[… \d+ of 102411 bytes left out …]\nx+ last$/);
    expect(overflow!.whole).toEqual({ content: text, contentType: 'text/plain', name: 'output.txt' });
    const stored = overflow!.withArtifact('artifact-1');
    const said = '; all of it is artifact artifact-1, see artifacts__read and artifacts__search …]';
    expect(stored.data).toEqual({ text: shown.replace(' …]', said) });
    expect(Buffer.byteLength(plainText(stored))).toBeLessThan(MAX_INLINE_BYTES);
    expect(toolResultSchema.safeParse(stored).success).toBe(true);
  });

  it('never splits a character', () => {
    const { result } = outputBudget(success('€😀'.repeat(20_000)));
    expect(plainText(result)).not.toContain('\ufffd');
  });

  it('keeps a text that fits when only the structured content is too large', () => {
    const data = { text: 'short', structured: { big: 'x'.repeat(40_000) }, artifacts: ['a'] };
    const { overflow } = outputBudget({ status: 'success', data });
    expect(overflow?.whole.contentType).toBe('application/json');
    expect(JSON.parse(overflow!.whole.content as string)).toEqual(data);
    expect(overflow?.withArtifact('b').data).toEqual({
      text: 'short\n[… more is artifact b, see artifacts__read and artifacts__search …]',
      artifacts: ['a'],
    });
  });

  it.each([
    ['next to a text', { text: 'short' }],
    ['alone', {}],
  ])('counts a long list of artifacts %s: it is cut like other data', (_where, beside) => {
    const data = { ...beside, artifacts: Array.from({ length: 20_000 }, (_, n) => `artifact-${n}`) };
    const { overflow } = outputBudget({ status: 'success', data });
    expect(JSON.parse(overflow!.whole.content as string)).toEqual(data);
    const settled = overflow!.withArtifact('whole');
    expect(Buffer.byteLength(JSON.stringify(settled.data))).toBeLessThan(MAX_INLINE_BYTES);
  });

  it('cuts at the configured budget', () => {
    const { result } = outputBudget(success('x'.repeat(5_000)), 4_096);
    expect(Buffer.byteLength(plainText(result))).toBeLessThan(4_096);
    expect(plainText(result)).toContain('bytes left out');
  });

  it('refuses more than an artifact can hold', () => {
    const { result, overflow } = outputBudget(success('x'.repeat(MAX_ARTIFACT_BYTES + 1)));
    expect(result).toMatchObject({ status: 'failure', error: { error_type: 'ToolExecutionError' } });
    expect(overflow).toBeUndefined();
  });
});
