import { afterEach, describe, expect, it } from '@jest/globals';
import { emptyView, reduce } from '#turn';
import { waitFor } from '../../services/wait-for.js';
import {
  JWT_SECRET,
  signTestToken,
  endTokens,
  soon,
  startHarness,
  type Client,
  type Harness,
  type HarnessOptions,
} from './gateway-harness.js';
import { PlayedTurn } from './played-turn.js';

let harness: Harness;
afterEach(() => harness.stop());

const start = async (limits: HarnessOptions['limits'] = {}) => {
  harness = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } }, limits });
};
const connectAs = async (user: string) => harness.connect({ token: await signTestToken(user) });
const OVERLOADED = { code: 'overloaded', retry_after_ms: expect.any(Number) };

const textOf = (client: Client, conversationId: string) =>
  client.received
    .reduce((view, event) => reduce(view, event), emptyView(conversationId))
    .turns[0]?.steps.map(({ text }) => text);

describe('a token that expires in the middle of a turn', () => {
  it('closes only the connection: with a new one the client gets the whole answer', async () => {
    await start();
    const first = await harness.connect({ token: await signTestToken('ann', { expiresAt: soon(harness) }) });
    const { conversation_id, turn_id } = await first.send('hello');
    const played = await PlayedTurn.take(harness, turn_id);
    await played.start();
    played.beginStep(1);
    played.token(1, 'Once ');
    await first.event('token');
    await endTokens(harness);
    await waitFor(() => !first.socket.connected, { what: 'the disconnect' });
    expect(first.order.at(-1)).toBe('token_expired');
    expect(first.received.at(-1)).toEqual({ type: 'token_expired', timestamp: expect.any(String) });
    played.token(1, 'upon ');
    await waitFor(() => harness.running.gateway.feeds.find(conversation_id) === undefined, {
      what: 'the linger',
    });
    played.token(1, 'a ');
    const second = await connectAs('ann');
    harness.partials.set(turn_id, { step: 1, attempt: 100, text: 'Once upon a ' });
    expect(await second.request('join', { conversation_id })).toEqual({});
    await second.event('snapshot');
    expect(textOf(second, conversation_id)).toEqual(['Once upon a ']);
    played.token(1, 'time.');
    played.complete(await played.commit(1, 'Once upon a time.'));
    await second.event('complete');
    expect(textOf(second, conversation_id)).toEqual(['Once upon a time.']);
    expect((await harness.store.readJournal(turn_id))!.steps.map(({ kind }) => kind)).toEqual(['model']);
  });

  it('of another user does not open the conversation', async () => {
    await start();
    const { conversation_id } = await (await connectAs('ann')).send('hello');
    const bob = await connectAs('bob');
    expect((await bob.request('join', { conversation_id })).error?.code).toBe('not_found');
  });
});

describe('one user with many sockets', () => {
  it('is refused above the limit until one has closed; others have their own limit', async () => {
    await start({ socketsPerUser: 2 });
    const [first] = [await connectAs('ann'), await connectAs('ann')];
    await expect(connectAs('ann')).rejects.toMatchObject({ message: 'overloaded', data: OVERLOADED });
    await connectAs('bob');
    first.close();
    const comesIn = () =>
      connectAs('ann').then(
        () => true,
        () => false,
      );
    await waitFor(comesIn, { what: 'room' });
  });

  it('is not charged for a connection that breaks before it has sent anything', async () => {
    await start({ socketsPerUser: 1 });
    for (let i = 0; i < 3; i++) {
      const client = await connectAs('ann');
      client.socket.io.engine.close();
      await waitFor(() => harness.running.gateway.sessions.size === 0, { what: 'the end of it' });
    }
  });

  it('without accounts is every client, and has as many as the process', async () => {
    harness = await startHarness({ limits: { socketsPerUser: 1 } });
    await harness.connect();
    expect((await harness.connect()).socket.connected).toBe(true);
  });

  it('is limited in bytes per minute over all sockets, and disconnected at twice the limit', async () => {
    await start({ bytesPerMinute: 10_000 });
    const [phone, laptop, bob] = [await connectAs('ann'), await connectAs('ann'), await connectAs('bob')];
    const filler = 'é'.repeat(2_000);
    expect(await phone.request('ping', { filler })).toEqual({});
    expect(await laptop.request('ping', { filler })).toEqual({});
    expect((await laptop.request('ping', { filler })).error).toMatchObject(OVERLOADED);
    expect((await phone.request('message', { content: 'hello' })).error).toMatchObject(OVERLOADED);
    expect(await bob.request('ping', { filler })).toEqual({});
    expect((await phone.request('nothing', { filler })).error).toMatchObject(OVERLOADED);
    phone.socket.emit('nothing', { filler });
    await waitFor(() => !phone.socket.connected, { what: 'the end of it' });
    expect(bob.socket.connected).toBe(true);
  });
});
