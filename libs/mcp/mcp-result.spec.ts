import { describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import { toMcpResult } from './mcp-result.js';

const text = (value: string) => ({ type: 'text' as const, text: value });

describe('toMcpResult', () => {
  it('joins text blocks with newlines', () => {
    expect(toMcpResult({ content: [text('a'), text('b')] })).toEqual({
      status: 'success',
      data: { text: 'a\nb' },
    });
  });

  it('keeps structured content beside the text, and shows it when there is no text', () => {
    const structuredContent = { n: 1 };
    expect(toMcpResult({ content: [text('one')], structuredContent }).data).toEqual({
      text: 'one',
      structured: { n: 1 },
    });
    expect(plainText(toMcpResult({ content: [], structuredContent }))).toBe('{"n":1}');
  });

  it('notes what is not text in brackets', () => {
    const data = Buffer.alloc(12_345).toString('base64');
    const result = toMcpResult({
      content: [
        text('see'),
        { type: 'image', mimeType: 'image/png', data },
        { type: 'audio', mimeType: 'audio/wav', data: 'AAA=' },
        { type: 'resource_link', name: 'report', uri: 'file:///r.pdf' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inline' } },
        { type: 'resource', resource: { uri: 'file:///b.zip', blob: 'AAAA', mimeType: 'application/zip' } },
      ],
    });
    expect(plainText(result).split('\n')).toEqual([
      'see',
      '[image image/png, 12 kB]',
      '[audio audio/wav, 2 B]',
      '[resource report file:///r.pdf]',
      'inline',
      '[resource application/zip file:///b.zip, 3 B]',
    ]);
  });

  it('makes isError a failure with its text, or with words when there is none', () => {
    expect(toMcpResult({ content: [text('no such city')], isError: true })).toMatchObject({
      status: 'failure',
      data: null,
      error: { error_type: 'ToolExecutionError', error_message: 'no such city' },
    });
    expect(toMcpResult({ content: [], isError: true }).error?.error_message).not.toBe('');
  });
});
