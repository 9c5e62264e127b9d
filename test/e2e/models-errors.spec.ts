import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { say, useTools, type MessageReply, type ReplyBlock } from '../fakes/messages-reply.js';
import type { ErrorReply } from '../fakes/scripted-api.js';
import { Chat, endsOf, statusAndText } from './models-chat.js';
import { removeFolders } from './standalone-process.js';

const soon = { 'retry-after-ms': '20' };
const overloaded: ErrorReply = {
  status: 529,
  type: 'overloaded_error',
  message: 'Overloaded',
  headers: soon,
};
const text = (...chunks: string[]): ReplyBlock => ({ type: 'text', chunks });
const broken = (breakOff: MessageReply['breakOff'], ...content: ReplyBlock[]): MessageReply => ({
  content,
  breakOff,
});

describe('a model API that fails', () => {
  let chat: Chat;

  beforeAll(async () => {
    chat = await Chat.start();
  }, 60_000);
  afterAll(async () => {
    await chat.close();
    await removeFolders();
  });
  beforeEach(() => chat.startConversation());
  afterEach(() => expect(chat.provider.violations).toEqual([]));

  test('529 twice: viewers are told to wait, then the answer arrives', async () => {
    const turn = await chat.ask(
      'hello',
      overloaded,
      { ...overloaded, headers: { 'retry-after': '1' } },
      say('Hi.'),
    );
    expect(statusAndText(turn)).toEqual(['completed', 'Hi.']);
    expect(chat.viewer.events('waiting').map((event) => event.retry_after_ms)).toEqual([20, 1000]);
    expect(chat.viewer.events('waiting')[0]!.reason).toContain('overloaded');
    expect(chat.viewer.events('step_restarted').map((event) => event.attempt)).toEqual([101, 102]);
    await chat.goesOn();
  });

  test('a stream that is cut in the middle starts again, and the viewer has the text once', async () => {
    const turn = await chat.ask(
      'hello',
      broken('cut', text('One two ', 'three')),
      broken('end', text('One ')),
      broken({ error: { type: 'overloaded_error', message: 'Overloaded' } }, text('One two')),
      say('One two ', 'three four 🙂', '.'),
    );
    expect(statusAndText(turn)).toEqual(['completed', 'One two three four 🙂.']);
    expect(chat.viewer.events('step_restarted')).toHaveLength(3);
    expect(await chat.readTurn(turn.turn_id)).toMatchObject({ steps: turn.steps });
    await chat.goesOn();
  });

  test('a stream that is cut inside a tool call runs only the call of the second try', async () => {
    const turn = await chat.ask(
      'add',
      broken('cut', ...useTools(['toolu_1', 'math__add', { a: 1, b: 1 }]).content),
      useTools(['toolu_1', 'math__add', { a: 1, b: 1 }]),
      say('2'),
    );
    expect(statusAndText(turn)).toEqual(['completed', '2']);
    expect(endsOf(turn)).toEqual([['succeeded', '2']]);
    expect(chat.viewer.events('tool_start')).toHaveLength(1);
    await chat.goesOn();
  });

  test('after five retries the turn fails, even with the page of a proxy', async () => {
    const before = chat.provider.requests.length;
    const badGateway = { status: 502, rawBody: '<html>bad gateway</html>', headers: soon };
    const turn = await chat.ask(
      'hello',
      overloaded,
      badGateway,
      overloaded,
      badGateway,
      overloaded,
      overloaded,
    );
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'model_error' } });
    expect(chat.provider.requests.length - before).toBe(6);
    expect(chat.viewer.events('error').at(-1)).toMatchObject({ code: 'model_error' });
    await chat.goesOn();
  });

  test.each([
    [400, 'invalid_request_error', 'messages.0: something is wrong', 'model_error', 'something is wrong'],
    [
      401,
      'authentication_error',
      'invalid x-api-key sk-ant-test-0123456789',
      'model_error',
      'ANTHROPIC_API_KEY',
    ],
    [404, 'not_found_error', 'model: claude-sonnet-5-5', 'model_error', 'model: claude'],
    [400, 'invalid_request_error', 'prompt is too long: 9 > 8', 'context_overflow', 'too long'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'context_overflow', 'too long'],
  ])('%d %s "%s" ends the turn at once as %s', async (status, type, message, code, said) => {
    const turn = await chat.ask('hello', { status, type, message });
    expect(turn).toMatchObject({ status: 'failed', error: { code } });
    expect(turn.error!.message).toContain(said);
    expect(JSON.stringify(chat.viewer.received) + chat.process.log).not.toContain('sk-ant-test');
    await chat.goesOn();
    expect(chat.provider.lastMessages.map((item) => item.role)).toEqual(['user']);
  });

  test('a refusal ends the turn as "refused", with the text so far, and runs nothing', async () => {
    const turn = await chat.ask('hello', {
      content: [text('I can '), ...useTools(['toolu_1', 'math__add', { a: 1, b: 1 }]).content],
      stopReason: 'refusal',
    });
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'refused' } });
    expect(statusAndText(turn)).toEqual(['failed', 'I can ']);
    expect(chat.viewer.events('tool_queued')).toEqual([]);
    const nothing = await chat.ask('hello', { content: [], stopReason: 'refusal' });
    expect(nothing).toMatchObject({ status: 'failed', error: { code: 'refused' } });
    await chat.goesOn();
  });

  test('a full context window ends the turn as "context_overflow"', async () => {
    const turn = await chat.ask('hello', {
      content: [text('So'), { type: 'tool_use', id: 'toolu_1', name: 'math__add', json: '{"a' }],
      stopReason: 'model_context_window_exceeded',
    });
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'context_overflow' } });
    await chat.goesOn();
  });

  test.each<[string, ReplyBlock[]]>([
    ['no content', []],
    ['blank text', [text('  \n')]],
    ['only thinking', [{ type: 'thinking', chunks: ['hm'], signature: 'signed' }]],
  ])('an answer with %s completes the turn', async (_, content) => {
    const turn = await chat.ask('hello', { content });
    expect(turn.status).toBe('completed');
    await chat.goesOn();
  });

  test('a failure after a tool call keeps the call; its result is not sent twice', async () => {
    const turn = await chat.ask('add', useTools(['toolu_1', 'math__add', { a: 1, b: 1 }]), {
      status: 400,
      type: 'invalid_request_error',
      message: 'no',
    });
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'model_error' } });
    expect(endsOf(turn)).toEqual([['succeeded', '2']]);
    await chat.goesOn();
  });

  test('max_tokens without calls is an answer, and thinking goes back with its signature', async () => {
    const thinking: ReplyBlock = { type: 'thinking', chunks: ['let me ', 'think'], signature: 'signed' };
    const turn = await chat.ask(
      'hello',
      { content: [thinking, ...useTools(['toolu_1', 'math__add', { a: 1, b: 1 }]).content] },
      { content: [text('It is tw')], stopReason: 'max_tokens' },
    );
    expect(statusAndText(turn)).toEqual(['completed', 'It is tw']);
    expect(
      chat.viewer
        .events('thinking')
        .map((event) => event.content)
        .join(''),
    ).toBe('let me think');
    await chat.goesOn();
    expect(chat.provider.lastMessages[1]!.content).toContainEqual({
      type: 'thinking',
      thinking: 'let me think',
      signature: 'signed',
    });
  });
});
