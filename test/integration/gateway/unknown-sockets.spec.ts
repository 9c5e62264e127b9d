import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
import { waitSkipping } from '../../services/wait-skipping.js';
import {
  Client,
  JWT_SECRET,
  signTestToken,
  startHarness,
  type Harness,
  type HarnessOptions,
} from './gateway-harness.js';
import { RawClient } from './raw-client.js';

let harness: Harness;
let over: AbortController;
beforeEach(() => void (over = new AbortController()));
afterEach(() => {
  over.abort();
  return harness.stop();
});

const ADDRESSES = ['127.0.0.1'];

async function start(limits: HarnessOptions['limits'], trustedProxies = ADDRESSES): Promise<void> {
  const auth = { kind: 'jwt' as const, secret: JWT_SECRET };
  harness = await startHarness({ limits, config: { auth, trustedProxies } });
}

/** Connections that say nothing; the proxy names their addresses in turn. */
async function holdPlaces(addresses: string[]): Promise<RawClient[]> {
  const idle = addresses.map((address) => RawClient.open(harness.url, { 'x-forwarded-for': address }));
  await waitFor(() => idle.every((raw) => raw.packets('0').length > 0), { what: 'the handshakes' });
  return idle;
}

/** Until those who sit in places may be made to go, and one of them has been. */
function afterPatience<T>(ask: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  return waitSkipping(harness.clock, ask, { what, withinMs: 5_000 });
}

/** A handshake of a client that says nothing more; what it is answered. */
function askToUpgrade(): { socket: Socket; text: string } {
  const socket = connect(harness.running.port, '127.0.0.1');
  const answer = { socket, text: '' };
  socket.setEncoding('utf8').on('data', (text: string) => (answer.text += text));
  socket.on('error', () => undefined);
  socket.write(
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n' +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  return answer;
}

/** A connection that says nothing, and is opened again whenever it is ended. */
function sit(address: string, signal = over.signal): void {
  if (signal.aborted) return;
  const raw = RawClient.open(harness.url, { 'x-forwarded-for': address });
  const end = () => raw.socket.terminate();
  signal.addEventListener('abort', end);
  raw.socket.on('close', () => {
    signal.removeEventListener('abort', end);
    sit(address, signal);
  });
}

/** People connect at the same moment, as Socket.IO's client does, until all are in; the refusals on the way. */
async function comeBack(people: number, headers?: Record<string, string>): Promise<string[]> {
  const tokens = await Promise.all(Array.from({ length: people }, (_, i) => signTestToken(`user ${i}`)));
  const refused: string[] = [];
  const clients = tokens.map((token) => new Client(harness.url, { token, headers, reconnects: true }));
  for (const { socket } of clients) socket.on('connect_error', (error) => refused.push(error.message));
  const areIn = () => clients.every(({ socket }) => socket.connected);
  await waitFor(areIn, { what: 'all of them', timeoutMs: 60_000 });
  for (const client of clients) client.close();
  return refused;
}

const refusals = async () => {
  const metrics = await (await fetch(`${harness.url}/metrics`)).text();
  return [...metrics.matchAll(/^switchyard_refusals_total\{limit="(\w+)"\} (\d+)/gm)].map(
    ([, limit]) => limit,
  );
};
const unknownSockets = async () =>
  Number(
    /^switchyard_unknown_sockets (\d+)/m.exec(await (await fetch(`${harness.url}/metrics`)).text())?.[1],
  );

describe('unauthenticated connections', () => {
  it('have places separate from those of known users', async () => {
    await start({ sockets: 1, unknownSockets: 3 });
    const idle = await holdPlaces(['192.0.2.1', '192.0.2.2']);
    const token = await signTestToken('ann');
    expect((await harness.connect({ token })).socket.connected).toBe(true);
    await waitFor(async () => (await unknownSockets()) === 2, { what: 'its place' });
    for (const raw of idle) raw.socket.terminate();
    await waitFor(async () => (await unknownSockets()) === 0, { what: 'their places' });
  });

  it('have a share of the places per address, which a proxy names', async () => {
    await start({ unknownSockets: 4, unknownSocketsPerAddress: 1 });
    const idle = await holdPlaces(['192.0.2.1', '192.0.2.1', '192.0.2.1']);
    const more = RawClient.open(harness.url, { 'x-forwarded-for': '192.0.2.1' });
    const headers = { 'x-forwarded-for': '192.0.2.2' };
    expect((await harness.connect({ token: await signTestToken('ann'), headers })).socket.connected).toBe(
      true,
    );
    await afterPatience(() => more.packets('0').length > 0, 'a place');
    await waitFor(() => idle[0]!.isClosed, { what: 'the end of the oldest one' });
    expect(idle.map((raw) => raw.isClosed)).toEqual([true, false, false]);
    expect(await refusals()).toEqual(['unknown_sockets_per_address']);
    expect(harness.log.join()).toContain('"address":"192.0.2.1"');
  });

  it('cannot set addresses unless a proxy is trusted', async () => {
    await start({ unknownSockets: 4, unknownSocketsPerAddress: 1 }, []);
    await holdPlaces(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
    const more = RawClient.open(harness.url, { 'x-forwarded-for': '192.0.2.4' });
    await afterPatience(() => more.packets('0').length > 0, 'a place');
    expect(await refusals()).toEqual(['unknown_sockets_per_address']);
  });

  it('never displace a handshake with a token', async () => {
    await start({ unknownSockets: 2, socketsPerUser: 2 });
    await holdPlaces(['192.0.2.1', '192.0.2.2']);
    const token = await signTestToken('ann');
    const headers = { authorization: `Bearer ${token}` };
    const { socket } = await harness.connect({ headers });
    expect(socket.connected).toBe(true);
    const ofPage = new Client(harness.url, { token, protocols: ['switchyard', `bearer.${token}`] });
    await ofPage.connected();
    await expect(harness.connect({ headers })).rejects.toThrow('overloaded');
    await expect(harness.connect({ query: 'no token' })).rejects.toThrow('unauthorized');
    socket.disconnect();
    ofPage.close();
    await waitFor(() => harness.running.gateway.sessions.size === 0, { what: 'their ends' });
    await harness.connect({ query: token });
    const tryAgain = () =>
      harness.connect({ token, headers }).then(
        () => true,
        () => false,
      );
    await afterPatience(tryAgain, 'room');
  });

  it('get 503 with the time to retry at once when too many wait', async () => {
    await start({ unknownSockets: 1 });
    const answers = Array.from({ length: 6 }, () => askToUpgrade());
    const refused = () => answers.filter(({ text }) => text.startsWith('HTTP/1.1 503 '));
    await waitFor(() => refused().length > 0, { what: 'a refusal' });
    expect(refused().map(({ text }) => text)).toEqual([expect.stringContaining('\r\nRetry-After: 1\r\n')]);
    for (const { socket } of answers) socket.destroy();
  });

  it('retry by themselves with the usual client, until all are connected', async () => {
    await start({ unknownSockets: 2 });
    await holdPlaces(['192.0.2.1', '192.0.2.2']);
    const refused = await comeBack(20);
    expect(new Set(refused)).toEqual(new Set(['websocket error']));
  }, 90_000);

  it.each([
    ['at their own address', '192.0.2.1'],
    ['at another one', '192.0.2.2'],
  ])(
    'block none of 300 returning users while strangers occupy %s',
    async (_where, address) => {
      await start({ unknownSockets: 100, unknownSocketsPerAddress: 5 });
      for (let count = 0; count < 60; count++) sit(address);
      await waitFor(async () => (await unknownSockets()) > 50, { what: 'a crowded pool' });
      expect(await comeBack(300, { 'x-forwarded-for': '192.0.2.1' })).toEqual([]);
    },
    90_000,
  );

  it('leave places for `/ws/chat`, whose handshakes carry their token', async () => {
    await start({ unknownSockets: 1 });
    await holdPlaces(['192.0.2.1']);
    const url = `${harness.url.replace('http', 'ws')}/ws/chat?token=${await signTestToken('ann')}`;
    const sockets = [new WebSocket(url), new WebSocket(url)];
    // Both at once: their tokens are checked one after the other or together, in no more than one place.
    for (const socket of sockets) socket.on('error', () => undefined);
    await waitFor(() => sockets.some(({ readyState }) => readyState === WebSocket.OPEN), { what: 'one' });
    for (const socket of sockets) socket.terminate();
  });
});

describe('an Engine.IO connection', () => {
  it('is never upgraded: neither a second WebSocket nor a request can name it', async () => {
    await start({});
    const [raw] = await holdPlaces(['192.0.2.1']);
    const { sid } = JSON.parse(raw!.frames[0]!.slice(1)) as { sid: string };
    const address = `${harness.url}/socket.io/?EIO=4&transport=websocket&sid=${sid}`;
    expect((await fetch(address)).status).toBe(400);
    const second = new WebSocket(address.replace('http', 'ws'));
    const [error] = (await once(second, 'error')) as [Error];
    expect(error.message).toContain('400');
    expect(raw!.isClosed).toBe(false);
  });
});
