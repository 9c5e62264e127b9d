import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { say, useTools } from '../fakes/messages-reply.js';
import { waitFor } from '../services/wait-for.js';
import { Chat, endsOf, statusAndText } from './models-chat.js';
import { gate } from './scripted-provider.js';
import { removeFolders, requestJson } from './standalone-process.js';
import { Viewer } from './viewer.js';

const STOPPED = '[The user stopped the previous answer before it was complete.]';

describe('a turn while its model responds', () => {
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

  /** A turn whose answer stands still after `chunks`, which the viewer has. */
  async function speaking(...chunks: string[]) {
    const { until, open } = gate();
    const content = [
      { type: 'text' as const, chunks },
      { type: 'hold' as const, until },
      { type: 'text' as const, chunks: [' and the rest.'] },
    ];
    const turnId = await chat.send('talk', { content });
    await waitFor(() => textOf(chat.viewer, turnId) === chunks.join(''), { what: 'the first half' });
    return { turnId, open, request: chat.provider.requests.at(-1)! };
  }

  function textOf(viewer: Viewer, turnId: string): string | undefined {
    const turn = viewer.turn(chat.conversationId!, turnId);
    return turn && statusAndText(turn)[1];
  }

  test('Stop aborts the request to the provider and keeps the text', async () => {
    const { turnId, request } = await speaking('Once upon ', 'a time');
    expect(await chat.viewer.request('stop', { turn_id: turnId })).toEqual({ may_be_running: [] });
    expect(await request.closedEarly).toBe(true);
    expect(statusAndText(await chat.ended(turnId))).toEqual(['cancelled', 'Once upon a time']);
    expect(chat.viewer.events('cancelled')).toHaveLength(1);
    await chat.goesOn();
    expect(chat.provider.lastMessages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'text', text: 'Once upon a time' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: STOPPED },
          { type: 'text', text: 'and now?' },
        ],
      },
    ]);
    expect(await chat.viewer.request('stop', { turn_id: turnId })).toEqual({ may_be_running: [] });
  });

  test('Stop before the first byte, over HTTP', async () => {
    const { until } = gate();
    const before = chat.provider.requests.length;
    const turnId = await chat.send('talk', { ...say('never'), hold: until });
    await waitFor(() => chat.provider.requests.length > before, { what: 'the request' });
    const stopped = await requestJson(`${chat.process.url}/api/turns/${turnId}/stop`, { method: 'POST' });
    expect(stopped).toMatchObject({ status: 200, body: { may_be_running: [] } });
    expect(await chat.provider.requests.at(-1)!.closedEarly).toBe(true);
    expect(statusAndText(await chat.ended(turnId))).toEqual(['cancelled', '']);
    await chat.goesOn();
  });

  test('Stop while it waits for a provider that is overloaded', async () => {
    const turnId = await chat.send('talk', { status: 529, headers: { 'retry-after': '60' } });
    await waitFor(() => chat.viewer.events('waiting').length > 0, { what: 'waiting' });
    await chat.viewer.request('stop', { turn_id: turnId });
    expect((await chat.ended(turnId)).status).toBe('cancelled');
    await chat.goesOn();
  });

  test('Stop in the second step keeps the first one and its result', async () => {
    const { until } = gate();
    const turnId = await chat.send('talk', useTools(['toolu_1', 'math__add', { a: 1, b: 1 }]), {
      content: [
        { type: 'text', chunks: ['It is'] },
        { type: 'hold', until },
      ],
    });
    await waitFor(() => textOf(chat.viewer, turnId) === 'It is', { what: 'the second step' });
    await chat.viewer.request('stop', { turn_id: turnId });
    const turn = await chat.ended(turnId);
    expect(statusAndText(turn)).toEqual(['cancelled', 'It is']);
    expect(endsOf(turn)).toEqual([['succeeded', '2']]);
    await chat.goesOn();
  });

  test('a viewer who joins in the middle has the text so far and then the rest', async () => {
    const { turnId, open } = await speaking('Once upon ', 'a time');
    const late = await Viewer.connect(chat.process.url);
    expect(await late.request('join', { conversation_id: chat.conversationId })).toEqual({});
    await waitFor(() => textOf(late, turnId) === 'Once upon a time', { what: 'the text so far' });
    open();
    const turn = await late.ended(chat.conversationId!, turnId);
    expect(statusAndText(turn)).toEqual(['completed', 'Once upon a time and the rest.']);
    expect(statusAndText(await chat.ended(turnId))).toEqual(statusAndText(turn));
    late.close();
    await chat.goesOn();
  });

  test('a message sent meanwhile is queued and can be stopped there', async () => {
    const { turnId, open } = await speaking('First');
    const second = await chat.send('second');
    const third = await chat.send('third', say('Third.'));
    expect(await chat.viewer.request('stop', { turn_id: second })).toEqual({ may_be_running: [] });
    open();
    expect((await chat.ended(turnId)).status).toBe('completed');
    expect((await chat.ended(second)).status).toBe('cancelled');
    expect(statusAndText(await chat.ended(third))).toEqual(['completed', 'Third.']);
    expect(chat.provider.lastMessages).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user', content: [{ text: 'second' }, { text: STOPPED }, { text: 'third' }] },
    ]);
    await chat.goesOn();
  });
});
