import { describe, expect, it } from '@jest/globals';
import { toolResultSchema } from '#contracts';
import { MAX_ARTIFACT_BYTES, MAX_INLINE_BYTES, outputBudget } from './output-budget.js';
import { plainText } from '#contracts';
import { success } from './tool-result.js';

describe('outputBudget', () => {
  it('leaves 32 KiB as they are', () => {
    const result = success('x'.repeat(MAX_INLINE_BYTES));
    expect(outputBudget(result)).toEqual({ result });
  });

  it('keeps head and tail of more, describes what remains and hands out the full text', () => {
    const text = `first ${'x'.repeat(100 * 1024)} last`;
    const { result, overflow } = outputBudget(success(text));
    const shown = plainText(result);
    expect(Buffer.byteLength(shown)).toBeLessThan(MAX_INLINE_BYTES);
    expect(shown).toMatch(/^first x+\n\[… \d+ of 102411 bytes left out …]\nx+ last$/);
    expect(overflow).toMatchObject({ text, contentType: 'text/plain' });
    const stored = overflow!.withArtifact('artifact-1');
    expect(stored.data).toEqual({ text: shown, artifacts: ['artifact-1'] });
    expect(toolResultSchema.safeParse(stored).success).toBe(true);
  });

  it('never splits a character', () => {
    const { result } = outputBudget(success('€😀'.repeat(20_000)));
    expect(plainText(result)).not.toContain('\ufffd');
  });

  it('keeps a text that fits when only the structure beside it is too large', () => {
    const data = { text: 'short', structured: { big: 'x'.repeat(40_000) }, artifacts: ['a'] };
    const { overflow } = outputBudget({ status: 'success', data });
    expect(overflow?.contentType).toBe('application/json');
    expect(JSON.parse(overflow!.text)).toEqual(data);
    expect(overflow?.withArtifact('b').data).toEqual({ text: 'short', artifacts: ['a', 'b'] });
  });

  it('refuses more than an artifact can hold', () => {
    const { result, overflow } = outputBudget(success('x'.repeat(MAX_ARTIFACT_BYTES + 1)));
    expect(result).toMatchObject({ status: 'failure', error: { error_type: 'ToolExecutionError' } });
    expect(overflow).toBeUndefined();
  });
});
