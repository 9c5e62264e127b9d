import { describe, expect, it } from '@jest/globals';
import { callId } from '../testing/rows.js';
import type { ModelMessage, UserContent } from './model-message.js';
import { assertTranscript, TranscriptError } from './transcript-invariant.js';

const say = (text: string): UserContent & { type: 'text' } => ({ type: 'text', text });
const user = (...content: UserContent[]): ModelMessage => ({ role: 'user', content });
const ask = (...numbers: number[]): ModelMessage => ({
  role: 'assistant',
  content: numbers.map((n) => ({
    type: 'tool_use',
    tool_call_id: callId(n),
    name: 'math__add',
    arguments: {},
  })),
});
const answer = (n: number): UserContent => {
  return { type: 'tool_result', tool_call_id: callId(n), text: '5', is_error: false };
};
const spoken: ModelMessage = { role: 'assistant', content: [say('Hello')] };

describe('assertTranscript', () => {
  it.each<[string, ModelMessage[]]>([
    ['a question', [user(say('q'))]],
    ['an answered call', [user(say('q')), ask(1), user(answer(1))]],
    [
      'parallel calls, answered in any order, and more text',
      [user(say('q')), ask(1, 2), user(answer(2), answer(1), say('n'))],
    ],
    ['an assistant message that continues after a pause', [user(say('q')), spoken]],
    ['two turns', [user(say('q')), spoken, user(say('q'))]],
  ])('accepts %s', (_what, messages) => {
    expect(() => assertTranscript(messages)).not.toThrow();
  });

  it.each<[string, ModelMessage[], string]>([
    ['nothing', [], 'empty'],
    ['an assistant message at the start', [spoken], 'Message 0'],
    ['two user messages in a row', [user(say('q')), user(say('q'))], 'Message 1'],
    ['an empty message', [user(say('q')), { role: 'assistant', content: [] }, user(say('q'))], 'Message 1'],
    ['a call at the end', [user(say('q')), ask(1)], 'Message 1'],
    ['a call without a result', [user(say('q')), ask(1), user(say('n'))], 'Message 2'],
    ['one of two results', [user(say('q')), ask(1, 2), user(answer(1))], 'Message 2'],
    ['another call’s result', [user(say('q')), ask(1), user(answer(2))], 'Message 2'],
    ['a result twice', [user(say('q')), ask(1), user(answer(1), answer(1))], 'Message 2'],
    ['one result for two calls, twice', [user(say('q')), ask(1, 2), user(answer(1), answer(1))], 'Message 2'],
    ['the same call twice', [user(say('q')), ask(1, 1), user(answer(1), answer(1))], 'Message 2'],
    ['a result after text', [user(say('q')), ask(1), user(say('n'), answer(1))], 'Message 2'],
    ['a result without a call', [user(answer(1))], 'Message 0'],
    ['a late result', [user(say('q')), spoken, user(answer(1))], 'Message 2'],
  ])('refuses %s', (_what, messages, named) => {
    expect(() => assertTranscript(messages)).toThrow(TranscriptError);
    expect(() => assertTranscript(messages)).toThrow(named);
  });

  it('skips what was checked before, but checks how the new part joins', () => {
    const checked = [user(say('q')), ask(1), user(answer(1))];
    const wrong = [user(answer(9)), ...checked.slice(1)];
    expect(() => assertTranscript([...wrong, spoken], 3)).not.toThrow();
    expect(() => assertTranscript([...checked, ask(2), user(say('n'))], 3)).toThrow('Message 4');
    expect(() => assertTranscript([user(say('q')), ask(1), user(say('n'))], 2)).toThrow('Message 2');
    const grown = [user(say('q')), ask(1), user(say('n'), answer(1))];
    expect(() => assertTranscript(grown, 3)).toThrow('Message 2');
  });
});
