import { describe, expect, it } from '@jest/globals';
import { contextWindowOf } from './model-facts.js';

describe('context window', () => {
  it.each([
    ['anthropic/claude-sonnet-5-5', 1_000_000],
    ['anthropic/claude-opus-5', 1_000_000],
    ['anthropic/claude-haiku-5-5', 200_000],
    ['anthropic/claude-opus-4-7', 200_000],
    ['anthropic/claude-haiku-4-5-20251001', 200_000],
    ['anthropic/claude-3-5-sonnet-latest', 200_000],
    ['openai/gpt-5.1', 272_000],
    ['openai/gpt-5.1-chat-latest', 128_000],
    ['openai/gpt-4.1-mini', 1_047_576],
    ['openai/gpt-4o-mini', 128_000],
    ['openai/o4-mini', 200_000],
    ['openai/gpt-4', 8_192],
    ['gemini/gemini-2.5-pro', 1_048_576],
    ['anthropic/my-proxy-name', undefined],
    ['openai/llama-3', undefined],
    ['gemini/gemma-3', undefined],
    ['ollama/llama3.2', undefined],
    ['demo', undefined],
  ])('%s: %s', (model, tokens) => {
    expect(contextWindowOf(model)).toBe(tokens);
  });
});
