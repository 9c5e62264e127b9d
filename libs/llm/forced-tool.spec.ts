import { describe, expect, it } from '@jest/globals';
import { canForceTool } from './model-facts.js';

describe('canForceTool', () => {
  it.each([
    ['demo', true],
    ['scripted', true],
    ['openai/gpt-6', true],
    ['gemini/gemini-3.5-flash', true],
    ['anthropic/claude-sonnet-5-5', true],
    ['anthropic/claude-fable-5', false],
    ['anthropic/claude-mythos-5', false],
    ['ollama/qwen3', false],
  ])('of %s is %s', (model, expected) => {
    expect(canForceTool(model)).toBe(expected);
  });
});
