import { describe, expect, it } from '@jest/globals';
import type { ModelMessage } from './model-message.js';
import { estimateTokens, tokensOfMessages, tokensOfText } from './estimate-tokens.js';

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });

describe('the estimate of tokens', () => {
  it('is rather too high: a third of the ASCII characters, and every other character in full', () => {
    expect(tokensOfText('')).toBe(0);
    expect(tokensOfText('a'.repeat(300))).toBe(100);
    expect(tokensOfText('日本語')).toBe(3);
    // Of "The quick brown fox jumps over the lazy dog." tokenizers make 10.
    expect(tokensOfText('The quick brown fox jumps over the lazy dog.')).toBeGreaterThan(10);
  });

  it('counts all parts of a request: system prompt, tools, calls, results, thinking, pictures', () => {
    const parts: ModelMessage[] = [
      user('a'.repeat(30)),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'b'.repeat(30), signature: 'c'.repeat(30) },
          { type: 'tool_use', tool_call_id: 'x', name: 'd'.repeat(30), arguments: { e: 'e'.repeat(30) } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_call_id: 'x', text: 'f'.repeat(30), is_error: false }],
      },
    ];
    expect(tokensOfMessages(parts)).toBeGreaterThanOrEqual(60);
    const picture = { artifact_id: 'a', content_type: 'image/png', size: 1 };
    const seen: ModelMessage = {
      role: 'user',
      content: [
        { type: 'tool_result', tool_call_id: 'x', text: '', is_error: false, images: [picture, picture] },
      ],
    };
    expect(tokensOfMessages([seen])).toBeGreaterThan(3_000);
    const request = { system: 'g'.repeat(300), messages: parts, tools: [{ name: 'h'.repeat(300) }] };
    expect(estimateTokens(request)).toBeGreaterThanOrEqual(tokensOfMessages(parts) + 200);
  });
});
