import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
import {
  endTokens,
  JWT_SECRET,
  signTestToken,
  soon,
  startHarness,
  type Harness,
} from '../gateway/gateway-harness.js';
import { waitSkipping } from '../../services/wait-skipping.js';
import { addCall, PlayedTurn } from '../gateway/played-turn.js';
import { GenesisClient, HandshakeRefused } from './genesis-client.js';

let harness: Harness;
let token: string;
beforeAll(async () => {
  harness = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } } });
  token = await signTestToken('ann');
});
afterAll(() => harness.stop());

const open = (options: Parameters<typeof GenesisClient.open>[1] = {}) =>
  GenesisClient.open(harness.url, { token, ...options });

async function conversation(of = token): Promise<string> {
  const response = await fetch(`${harness.url}/api/conversations`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${of}` },
  });
  return ((await response.json()) as { id: string }).id;
}

/** The newest turn of a conversation, to be played. */
async function play(conversationId: string, number = 1): Promise<PlayedTurn> {
  const turn = await waitFor(
    async () =>
      (await harness.store.listTurns(conversationId, { limit: 10 })).find((found) => found.number === number),
    { what: `turn ${number}` },
  );
  return PlayedTurn.take(harness, turn._id);
}

describe('the handshake of /ws/chat', () => {
  const refused = async (options: Parameters<typeof GenesisClient.open>[1]) => {
    const error: unknown = await GenesisClient.open(harness.url, options).catch((thrown: unknown) => thrown);
    if (!(error instanceof HandshakeRefused)) throw error;
    expect(error.wasOpen).toBe(false);
    return error.status;
  };

  it('5 a bad token is refused with 403 before any connection opens', async () => {
    const expired = await signTestToken('ann', { expiresAt: Math.floor(Date.now() / 1000) - 60 });
    const foreign = await signTestToken('ann', { secret: 'another-secret-that-is-long-enough-too' });
    for (const bad of ['', 'x', expired, foreign, undefined]) expect(await refused({ token: bad })).toBe(403);
  });

  it('takes the token from the query, else from the header', async () => {
    const client = await GenesisClient.open(harness.url, { headers: { Authorization: `Bearer ${token}` } });
    client.close();
    expect(await refused({ token: 'x', headers: { Authorization: `Bearer ${token}` } })).toBe(403);
  });

  it('is refused for pages of other origins, and for other paths', async () => {
    expect(await refused({ token, headers: { Origin: 'https://evil.example' } })).toBe(403);
    expect(await refused({ token, path: '/ws/chat/' })).toBe(404);
    expect(await refused({ token, path: '/ws' })).toBe(404);
    const page = await open({ headers: { Origin: 'http://localhost:5173' } });
    page.close();
  });

  it('leaves Socket.IO connections alone', async () => {
    const [client, other] = [await open(), await harness.connect({ token })];
    await other.send('hello');
    expect(client.frames).toEqual([]);
    client.close();
  });

  it('is refused without the dialect, and above the limit of sockets until one has closed', async () => {
    const without = await startHarness({ config: { dialects: ['mcp-chat-sse'] } });
    await expect(GenesisClient.open(without.url)).rejects.toMatchObject({ status: 404 });
    await without.stop();
    const small = await startHarness({
      config: { auth: { kind: 'jwt', secret: JWT_SECRET } },
      limits: { socketsPerUser: 1 },
    });
    const first = await GenesisClient.open(small.url, { token });
    await expect(GenesisClient.open(small.url, { token })).rejects.toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.any(String) },
    });
    first.close();
    const again = () => GenesisClient.open(small.url, { token });
    await waitFor(again, { what: 'room for one more' });
    await small.stop();
  });

  it('accepts only local clients while accounts are off', async () => {
    const open_ = await startHarness();
    await expect(
      GenesisClient.open(open_.url, { headers: { Host: 'rebound.example' } }),
    ).rejects.toMatchObject({ status: 403 });
    await expect(
      GenesisClient.open(open_.url, { headers: { Origin: 'http://localhost:5173' } }),
    ).rejects.toMatchObject({ status: 403 });
    (await GenesisClient.open(open_.url)).close();
    await open_.stop();
  });
});

describe('/ws/chat', () => {
  it('sends an answer with a call', async () => {
    const client = await open();
    const id = await conversation();
    client.say(id, 'what is 1 + 2?');
    const played = await play(id);
    const call = addCall('A');
    await played.start();
    played.beginStep(1);
    played.token(1, 'Let me look.');
    await played.commit(1, 'Let me look.', [call]);
    await played.claim(call.tool_call_id, 'worker-1');
    const end = await played.settle(call, 1, 3);
    played.emit(end);
    played.beginStep(2, [end]);
    played.token(2, 'It is 3.');
    played.complete(await played.commit(2, 'It is 3.'));
    await client.next('complete');
    expect(client.types).toEqual(['token', 'tool_start', 'tool_complete', 'token', 'token', 'complete']);
    client.close();
  });

  it('6 answers a ping while a call runs, and nothing else', async () => {
    const client = await open();
    const id = await conversation();
    client.say(id, 'what is 1 + 2?');
    const played = await play(id);
    const call = addCall('P');
    await played.start();
    played.beginStep(1);
    await played.commit(1, '', [call]);
    client.sendRaw('{"type":"ping"}');
    await client.next('pong');
    expect(client.frames).toEqual([{ type: 'pong' }]);
    client.close();
  });

  it('12 refuses missing and foreign conversations alike, and invalid messages, and stays open', async () => {
    const client = await open();
    const foreign = await conversation(await signTestToken('bob'));
    for (const [count, id] of [foreign, 'conv_unknown', 'no id!', '$ne'].entries()) {
      client.say(id, 'hello');
      await client.next('complete', count + 1);
    }
    const errors = client.of('error');
    expect(errors.map(({ code }) => code)).toEqual(Array(4).fill('ACCESS_DENIED'));
    expect(new Set(errors.map(({ message }) => message)).size).toBe(1);
    expect(client.types).toEqual(Array(4).fill(['error', 'token', 'complete']).flat());
    const before = client.frames.length;
    for (const bad of ['not json', '[]', '{}', '{"type":"nothing"}', Buffer.from('{"type":"ping"}')])
      client.sendRaw(bad);
    await client.next('error', 9);
    const codes = client.frames.slice(before).map((frame) => frame.type === 'error' && frame.code);
    expect(codes).toEqual(Array(5).fill('INVALID_FORMAT'));
    const id = await conversation();
    client.say(id, 'hello');
    await (await play(id)).answer('Hello.');
    await client.next('complete', 5);
    expect(client.text.endsWith('Hello.')).toBe(true);
    client.close();
  });

  it('shows a second turn when the first is complete, regardless of when it ended', async () => {
    const client = await open();
    const [one, two] = [await conversation(), await conversation()];
    client.say(one, 'first');
    const first = await play(one);
    client.say(two, 'second');
    await (await play(two)).answer('Second.');
    client.sendRaw('{"type":"ping"}');
    await client.next('pong');
    expect(client.types).toEqual([]);
    await first.answer('First.');
    await client.next('complete', 2);
    expect(client.of('token').map(({ content }) => content)).toEqual(['First.', 'Second.']);
    expect(client.types).toEqual(['token', 'complete', 'token', 'complete']);
    client.close();
  });

  it('is closed by a frame of more than 1 MiB, and accepts smaller ones', async () => {
    const client = await open();
    const id = await conversation();
    client.say(id, 'x'.repeat(70_000), { padding: 'x'.repeat(800_000) });
    expect(await client.next('error')).toMatchObject({ code: 'INVALID_FORMAT', conversation_id: id });
    client.say(id, 'x'.repeat(1024 * 1024));
    expect(await client.closing()).toMatchObject({ code: 1009 });
  });

  it('is closed when its token expires, and continues with a new one', async () => {
    const eve = await signTestToken('eve');
    const id = await conversation(eve);
    const client = await open({ token: await signTestToken('eve', { expiresAt: soon(harness) }) });
    client.say(id, 'hello');
    const played = await play(id);
    await played.start();
    played.beginStep(1);
    played.token(1, 'Hel');
    await client.next('token');
    await endTokens(harness);
    expect(await client.closing()).toEqual({ code: 1008, reason: 'The token has expired.' });
    expect(client.types).toEqual(['token']);
    const again = await open({ token: eve });
    await again.next('token');
    played.token(1, 'lo.');
    played.complete(await played.commit(1, 'Hello.'));
    await again.next('complete');
    expect(again.text).toBe('Hello.');
    again.close();
  });

  it('accepts or refuses 64 simultaneous messages; the next one closes it with a reason', async () => {
    const pia = await signTestToken('pia');
    const client = await open({ token: pia });
    const id = await conversation(pia);
    const last = await conversation(pia);
    for (let sent = 0; sent < 64; sent++) client.say(id, `message ${sent}`);
    for (const content of ['too many', 'after it']) client.say(last, content);
    expect(await client.closing()).toEqual({
      code: 1008,
      reason: 'Too many messages are waiting for answers.',
    });
    const mayBeUnended = 40;
    const turns = async () => harness.store.listTurns(id, { limit: 100 });
    await waitFor(async () => (await turns()).length === mayBeUnended, { what: 'the turns' });
    expect((await turns()).map(({ content }) => content)).toEqual(
      Array.from({ length: mayBeUnended }, (_, at) => `message ${at}`),
    );
    expect(await harness.store.listTurns(last, { limit: 10 })).toEqual([]);
    const again = await open({ token: pia });
    await (await PlayedTurn.take(harness, (await turns())[0]!._id)).answer('Here I am.');
    await again.next('complete');
    expect(again.text).toBe('Here I am.');
    again.close();
  });

  it('sends BUSY when the conversation accepts no further message', async () => {
    const [tab, client] = [await open(), await open()];
    const id = await conversation();
    await harness.store.updateConversation(id, { policy: 'reject' });
    tab.say(id, 'first');
    await play(id);
    client.say(id, 'second');
    await client.next('complete');
    expect(client.types).toEqual(['error', 'token', 'complete']);
    expect(client.of('error')[0]).toMatchObject({ code: 'BUSY', conversation_id: id });
    for (const one of [tab, client]) one.close();
  });
});

describe('a /ws/chat socket that broke off in the middle of an answer', () => {
  async function half(name: string): Promise<{ client: GenesisClient; played: PlayedTurn; mine: string }> {
    const mine = await signTestToken(name);
    const client = await open({ token: mine });
    const id = await conversation(mine);
    client.say(id, 'hello');
    const played = await play(id);
    await played.start();
    played.beginStep(1);
    played.token(1, 'Good ');
    await client.next('token');
    return { client, played, mine };
  }
  const bindings = (name: string) => harness.store.listBindings(name, 'genesis-chat');

  it('15 is continued by the next one: the text so far as one token, then the rest', async () => {
    const { client, played, mine } = await half('u1');
    // This orchestrator cannot be asked for what it said: the gateway has to have heard it all.
    const watcher = await harness.connect({ token: mine });
    await watcher.request('join', { conversation_id: played.turn.conversation_id });
    client.cut();
    played.token(1, 'mor');
    const isNoted = async () =>
      (await bindings('u1')).some(({ value }) => value.includes('"is_dropped":true'));
    await waitFor(isNoted, { what: 'the note about the socket' });
    const again = await open({ token: mine });
    await again.next('token');
    expect(again.text).toBe('Good mor');
    played.token(1, 'ning.');
    played.complete(await played.commit(1, 'Good morning.'));
    await again.next('complete');
    expect(again.of('token').map(({ content }) => content)).toEqual(['Good mor', 'ning.']);
    await waitFor(async () => (await bindings('u1')).length === 0, { what: 'nothing that is kept' });
    for (const each of [again, watcher]) each.close();
  });

  it('is sent the whole answer once if it ended meanwhile', async () => {
    const { client, played, mine } = await half('u2');
    client.cut();
    played.token(1, 'morning.');
    played.complete(await played.commit(1, 'Good morning.'));
    const again = await open({ token: mine });
    await again.next('complete');
    expect(again.types).toEqual(['token', 'complete']);
    expect(again.text).toBe('Good morning.');
    await waitFor(async () => (await bindings('u2')).length === 0, { what: 'nothing that is kept' });
    again.cut();
    const third = await open({ token: mine });
    third.sendRaw('{"type":"ping"}');
    await third.next('pong');
    expect(third.types).toEqual([]);
    third.close();
  });

  it('is also continued if its end was not noticed and it no longer responds', async () => {
    const { client, played, mine } = await half('u5');
    client.socket.pause();
    const again = await open({ token: mine });
    played.token(1, 'morning.');
    played.complete(await played.commit(1, 'Good morning.'));
    await waitSkipping(harness.clock, () => again.of('complete').length, {
      what: 'the end',
      withinMs: 25_000,
    });
    expect(again.text).toBe('Good morning.');
    again.close();
  });

  it('is not continued when its client closed it', async () => {
    const { client, played, mine } = await half('u3');
    client.close();
    await client.closing();
    await waitFor(async () => (await bindings('u3')).length === 0, { what: 'nothing that is kept' });
    const again = await open({ token: mine });
    played.token(1, 'morning.');
    played.complete(await played.commit(1, 'Good morning.'));
    const id = await conversation(mine);
    again.say(id, 'next');
    await (await play(id)).answer('Next.');
    await again.next('complete');
    expect(again.text).toBe('Next.');
    again.close();
  });

  it('is not continued when its client closed it, even if recording that takes long', async () => {
    const { removeBinding } = harness.store;
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    harness.store.removeBinding = (id) => held.then(() => removeBinding.call(harness.store, id));
    const { client, mine } = await half('u6');
    const { gateway } = harness.running;
    const before = gateway.sockets;
    client.close();
    await waitFor(() => gateway.sockets < before, { what: 'the end of the socket' });
    const again = await open({ token: mine });
    const id = await conversation(mine);
    letGo();
    harness.store.removeBinding = removeBinding;
    await waitFor(async () => (await bindings('u6')).length === 0, { what: 'nothing that is kept' });
    again.say(id, 'next');
    await (await play(id)).answer('Next.');
    await again.next('complete');
    expect(again.text).toBe('Next.');
    again.close();
  });

  it('16 and the second tab gets no frame of the first one’s turn', async () => {
    const { client, played, mine } = await half('u4');
    const tab = await open({ token: mine });
    played.token(1, 'morning.');
    played.complete(await played.commit(1, 'Good morning.'));
    await client.next('complete');
    tab.sendRaw('{"type":"ping"}');
    await tab.next('pong');
    expect(tab.frames).toEqual([{ type: 'pong' }]);
    for (const one of [client, tab]) one.close();
  });
});

describe('a stopping gateway', () => {
  it('closes its sockets so that clients reconnect, and their turns continue elsewhere', async () => {
    const stopping = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } } });
    const client = await GenesisClient.open(stopping.url, { token });
    const created = await fetch(`${stopping.url}/api/conversations`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    });
    client.say(((await created.json()) as { id: string }).id, 'hello');
    await waitFor(async () => (await stopping.store.listBindings('ann', 'genesis-chat')).length === 1, {
      what: 'a turn on the socket',
    });
    const drained = stopping.running.drain(3_000);
    expect(await client.closing()).toMatchObject({ code: 1012 });
    await drained;
    const rows = await stopping.store.listBindings('ann', 'genesis-chat');
    expect(rows.filter(({ value }) => value.includes('"is_dropped":true'))).toHaveLength(1);
    expect(client.types).toEqual([]);
    await expect(GenesisClient.open(stopping.url, { token })).rejects.toThrow();
    await stopping.store.close();
  });
});

/** More than what two kernels' buffers take. */
const FLOOD_TOKENS = 256;
const FLOOD_LENGTH = 64 * 1024;

describe('a client of /ws/chat that stops reading', () => {
  it('is sent no more than it reads, and gets the whole text in few frames when it reads again', async () => {
    const client = await open();
    const id = await conversation();
    client.say(id, 'a long story');
    const played = await play(id);
    await played.start();
    played.beginStep(1);
    played.token(1, 'Once ');
    await client.next('token');
    client.socket.pause();
    for (let i = 0; i < FLOOD_TOKENS; i++) {
      played.token(1, String(i % 10).repeat(FLOOD_LENGTH));
      // The kernel takes what it can only between events.
      await new Promise((resolve) => setImmediate(resolve));
    }
    played.token(1, ' upon a time.');
    client.socket.resume();
    await waitFor(() => client.text.endsWith(' upon a time.'), { what: 'the end of the text' });
    expect(client.text).toHaveLength('Once  upon a time.'.length + FLOOD_TOKENS * FLOOD_LENGTH);
    // What could not be sent was merged: it waited in the stream, which is bounded, and not in the socket.
    expect(client.of('token').length).toBeLessThan(FLOOD_TOKENS / 2);
    client.close();
  });
});
