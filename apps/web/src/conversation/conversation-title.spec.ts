import { describe, expect, it } from '@jest/globals';
import { isUnnamed, titleFrom } from './conversation-title.js';

describe('conversation titles', () => {
  it('are the beginning of the first message, on one line', () => {
    expect(titleFrom('  What is\n17 + 25? ')).toBe('What is 17 + 25?');
  });

  it('are cut between words, and never inside a character', () => {
    expect(titleFrom('word '.repeat(30))).toBe(`${'word '.repeat(12).trim()}…`);
    expect(titleFrom(`${'x'.repeat(59)}😀 and more`)).toBe(`${'x'.repeat(59)}…`);
  });

  it('have a default for unnamed conversations', () => {
    expect(isUnnamed('New Conversation')).toBe(true);
    expect(isUnnamed('New conversations of ours')).toBe(false);
  });
});
