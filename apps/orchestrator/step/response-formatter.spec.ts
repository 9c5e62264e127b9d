import { describe, expect, it } from '@jest/globals';
import { FORMATTER_TOOL, readAnswer } from './response-formatter.js';

const say = (content: string) => ({ type: 'text' as const, text: content });
const code = { type: 'application/vnd.ant.code', title: 'Sum', content: 'a + b', language: 'ts' };
const itemOf = (artifact: object) => ({ type: 'artifact', artifact });

describe('readAnswer', () => {
  it('reads texts and artifacts in order, and keeps the reasoning', () => {
    const conversation = [{ type: 'text', content: 'Here:' }, itemOf(code), { type: 'text', content: 'So.' }];
    expect(readAnswer({ thinking: 'hm', conversation })).toEqual([
      { type: 'thinking', text: 'hm' },
      say('Here:'),
      { type: 'text', text: '\n\n**Sum**\n\n```ts\na + b\n```\n\n', artifact: code },
      say('So.'),
    ]);
  });

  it.each([
    ['a list that is encoded as JSON', JSON.stringify([{ type: 'text', content: 'Hi' }])],
    ['a string', 'Hi'],
    ['one item instead of a list', { type: 'text', content: 'Hi' }],
  ])('repairs %s', (_what, conversation) => {
    expect(readAnswer({ conversation })).toEqual([say('Hi')]);
  });

  it('reads a string of JSON that is not a list as text', () => {
    expect(readAnswer({ conversation: '{"a":1}' })).toEqual([say('{"a":1}')]);
  });

  it.each([
    ['nothing', undefined],
    ['a missing conversation', {}],
    ['an empty conversation', { conversation: [] }],
    ['an item without a kind', { conversation: [{ content: 'Hi' }] }],
    ['a text without content', { conversation: [{ type: 'text' }] }],
    ['an artifact without content', { conversation: [{ type: 'artifact', content: 'x' }] }],
    ['an artifact of an unknown type', { conversation: [itemOf({ ...code, type: 'text/x' })] }],
    ['an artifact without a title', { conversation: [itemOf({ ...code, title: undefined })] }],
    ['only white space', { conversation: [{ type: 'text', content: ' \n' }] }],
  ])('returns nothing for %s', (_what, args) => {
    expect(readAnswer(args)).toBeUndefined();
  });

  it('shows an artifact in a fence that its content cannot close', () => {
    const [block] = readAnswer({ conversation: itemOf({ ...code, content: '````md\nx\n````' }) })!;
    expect(block).toMatchObject({ text: '\n\n**Sum**\n\n`````ts\n````md\nx\n````\n`````\n\n' });
  });
});

it('the formatter’s schema for the model contains every type of artifact', () => {
  const types = /"enum":\["text\/markdown".*?"application\/vnd.knowledge-graph"\]/;
  expect(JSON.stringify(FORMATTER_TOOL.input_schema)).toMatch(types);
});
