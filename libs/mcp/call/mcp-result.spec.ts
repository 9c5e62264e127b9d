import { describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import { toolContext } from '../testing/fixture.js';
import { toMcpResult as convert } from './mcp-result.js';

const { attach } = toolContext();
const toMcpResult = (result: Parameters<typeof convert>[0]) => convert(result, attach);
const text = (value: string) => ({ type: 'text' as const, text: value });

describe('toMcpResult', () => {
  it('joins text blocks with newlines', async () => {
    expect(await toMcpResult({ content: [text('a'), text('b')] })).toEqual({
      status: 'success',
      data: { text: 'a\nb' },
    });
  });

  it('keeps structured content next to the text, and uses it as the text when there is none', async () => {
    const structuredContent = { n: 1 };
    expect((await toMcpResult({ content: [text('one')], structuredContent })).data).toEqual({
      text: 'one',
      structured: { n: 1 },
    });
    expect(plainText(await toMcpResult({ content: [], structuredContent }))).toBe('{"n":1}');
  });

  it('keeps fields that a server adds to those of the protocol', async () => {
    const bibliography = [{ pmid: '1' }];
    const given = { content: [text('one')], bibliography, _meta: { a: 1 } };
    expect((await toMcpResult(given)).data).toEqual({ text: 'one', bibliography });
    expect((await toMcpResult({ ...given, structuredContent: { n: 1 } })).data).toEqual({
      text: 'one',
      structured: { n: 1 },
      bibliography,
    });
    expect(plainText(await toMcpResult({ ...given, content: [] }))).toBe('{"bibliography":[{"pmid":"1"}]}');
  });

  it('attaches binary content and names it in brackets', async () => {
    const data = Buffer.alloc(12_345).toString('base64');
    const result = await toMcpResult({
      content: [
        text('see'),
        { type: 'image', mimeType: 'image/png', data },
        { type: 'audio', mimeType: 'audio/wav', data: 'AAA=' },
        { type: 'resource_link', name: 'report', uri: 'file:///r.pdf' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inline' } },
        { type: 'resource', resource: { uri: 'file:///b.zip', blob: 'AAAA', mimeType: 'application/zip' } },
      ],
    });
    expect(
      plainText(result)
        .replaceAll(/art_[0-9a-f]{32}/g, 'art_…')
        .split('\n'),
    ).toEqual([
      'see',
      '[image application/octet-stream, 12 kB, artifact art_…]',
      '[audio audio/wav, 2 B, artifact art_…]',
      '[resource report file:///r.pdf]',
      'inline',
      '[resource application/zip, 3 B, artifact art_…, file:///b.zip]',
    ]);
  });

  it('makes isError a failure with its text, or with a default text', async () => {
    expect(await toMcpResult({ content: [text('no such city')], isError: true })).toMatchObject({
      status: 'failure',
      data: null,
      error: { error_type: 'ToolExecutionError', error_message: 'no such city' },
    });
    expect((await toMcpResult({ content: [], isError: true })).error?.error_message).not.toBe('');
  });

  describe('with a verdict of the server in _meta', () => {
    const answered = (said: unknown, more: object = {}) =>
      toMcpResult({ content: [text('3 of 5')], _meta: { 'switchyard/result': said }, ...more });

    it('has its status, its explanation and, in part, its error', async () => {
      expect(await answered({ status: 'no_change_needed', explanation: 'Formatted already.' })).toEqual({
        ...{ status: 'no_change_needed', data: { text: '3 of 5' }, explanation: 'Formatted already.' },
      });
      const error = { error_type: 'PermissionError', error_message: 'Two files were not readable.' };
      expect(await answered({ status: 'partial_success', error })).toEqual({
        ...{ status: 'partial_success', data: { text: '3 of 5' }, error },
      });
      expect(await answered({ explanation: 'Copied.', error })).toEqual({
        ...{ status: 'success', data: { text: '3 of 5' }, explanation: 'Copied.' },
      });
    });

    it('fails with the error that the server names', async () => {
      const error = { error_type: 'FileNotFoundError', error_message: 'There is no a.txt.' };
      expect(await answered({ error, explanation: 'Looked in /srv.' }, { isError: true })).toMatchObject({
        ...{ status: 'failure', error, explanation: 'Looked in /srv.' },
      });
    });

    it.each([['banana'], [{ status: 'failure' }], [{ status: 'banana' }], [{ explanation: 5 }], [null]])(
      'that does not fit is as if it had none: %j',
      async (said) => {
        expect(await answered(said)).toEqual({ status: 'success', data: { text: '3 of 5' } });
      },
    );

    it('succeeds no more than its data does', async () => {
      const loop: Record<string, unknown> = { deep: 1 };
      for (let i = 0, at = loop; i < 40; i++) at = at.deep = {} as Record<string, unknown>;
      expect((await answered({ status: 'partial_success' }, { structuredContent: loop })).status).toBe(
        'failure',
      );
    });
  });
});
