import { describe, expect, it } from '@jest/globals';
import type { Block } from '#contracts';
import { journalOf, stepRow } from '../testing/rows.js';
import { withoutForeignThinking } from './foreign-thinking.js';
import { messagesOfTurn } from './transcript.js';

const said: Block = { type: 'text', text: 'So.' };
const thought = (model?: string): Block => ({
  type: 'thinking',
  text: 'hm',
  signature: 'sig',
  ...(model && { model }),
});
const messagesOf = (...blocks: Block[]) =>
  messagesOfTurn(
    journalOf({ steps: [stepRow(1, '', [], { blocks: [...blocks, said], model: 'anthropic/a' })] }),
  );
const assistantOf = (messages: ReturnType<typeof messagesOf>) => messages[1]!.content;

describe('thinking in a conversation that changes its provider', () => {
  it('names the model of its step in the transcript', () => {
    expect(assistantOf(messagesOf(thought()))).toEqual([thought('anthropic/a'), said]);
    const old = stepRow(1, '', [], { blocks: [thought(), said] });
    expect(assistantOf(messagesOfTurn(journalOf({ steps: [old] })))).toEqual([thought(), said]);
  });

  it('is sent back to every model of its own provider and to no other', () => {
    const messages = messagesOf(thought());
    expect(withoutForeignThinking(messages, 'anthropic/b')).toBe(messages);
    expect(assistantOf(withoutForeignThinking(messages, 'openai/a'))).toEqual([said]);
    expect(assistantOf(withoutForeignThinking(messages, 'demo'))).toEqual([said]);
    expect(assistantOf(messages)).toEqual([thought('anthropic/a'), said]);
  });

  it('is kept without a model name, and reduced to the provider’s own in a mixed history', () => {
    const mixed = messagesOf(thought('openai/x'), thought());
    expect(assistantOf(withoutForeignThinking(mixed, 'openai/y'))).toEqual([thought('openai/x'), said]);
    const unnamed = messagesOfTurn(journalOf({ steps: [stepRow(1, '', [], { blocks: [thought(), said] })] }));
    expect(withoutForeignThinking(unnamed, 'openai/y')).toBe(unnamed);
  });
});
