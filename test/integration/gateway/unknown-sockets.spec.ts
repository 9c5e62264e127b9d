import { connect } from 'node:net';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
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
afterEach(() => harness.stop());

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

describe('connections that have not said who they are', () => {
  it('have places besides those of people who have', async () => {
    await start({ sockets: 1, unknownSockets: 3 });
    const idle = await holdPlaces(['192.0.2.1', '192.0.2.2']);
    const token = await signTestToken('ann');
    expect((await harness.connect({ token })).socket.connected).toBe(true);
    await waitFor(async () => (await unknownSockets()) === 2, { what: 'its place' });
    for (const raw of idle) raw.socket.terminate();
    await waitFor(async () => (await unknownSockets()) === 0, { what: 'their places' });
  });

  it('have a share of the places at each address, which a proxy names', async () => {
    await start({ unknownSockets: 4, unknownSocketsPerAddress: 1 });
    await holdPlaces(['192.0.2.1', '192.0.2.1', '192.0.2.1']);
    const more = RawClient.open(harness.url, { 'x-forwarded-for': '192.0.2.1' });
    await waitFor(() => more.isClosed, { what: 'the refusal' });
    const headers = { 'x-forwarded-for': '192.0.2.2' };
    expect((await harness.connect({ token: await signTestToken('ann'), headers })).socket.connected).toBe(
      true,
    );
    expect(await refusals()).toEqual(['unknown_sockets_per_address']);
    expect(harness.log.join()).toContain('"address":"192.0.2.1"');
  });

  it('cannot name addresses unless a proxy is trusted', async () => {
    await start({ unknownSockets: 4, unknownSocketsPerAddress: 1 }, []);
    await holdPlaces(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
    const more = RawClient.open(harness.url, { 'x-forwarded-for': '192.0.2.4' });
    await waitFor(() => more.isClosed, { what: 'the refusal' });
    expect(await refusals()).toEqual(['unknown_sockets_per_address']);
  });

  it('keep nobody out whose handshake brings a token', async () => {
    await start({ unknownSockets: 2, socketsPerUser: 2 });
    await holdPlaces(['192.0.2.1', '192.0.2.2']);
    const token = await signTestToken('ann');
    const headers = { authorization: `Bearer ${token}` };
    const { socket } = await harness.connect({ headers });
    expect(socket.connected).toBe(true);
    const ofPage = new Client(harness.url, { token, protocols: ['switchyard', `bearer.${token}`] });
    await ofPage.connected();
    await expect(harness.connect({ headers })).rejects.toThrow('websocket error');
    await expect(harness.connect({ query: 'no token' })).rejects.toThrow('websocket error');
    socket.disconnect();
    ofPage.close();
    await waitFor(() => harness.running.gateway.sessions.size === 0, { what: 'their ends' });
    await harness.connect({ query: token });
    await waitFor(
      () =>
        harness.connect({ token, headers }).then(
          () => true,
          () => false,
        ),
      { what: 'room' },
    );
  });

  it('are told 503 and when to come again, at once', async () => {
    await start({ unknownSockets: 1 });
    await holdPlaces(['192.0.2.1']);
    const socket = connect(harness.running.port, '127.0.0.1');
    socket.write(
      'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n' +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('\r\nRetry-After: 1\r\n');
  });

  it('come again by themselves with the usual client, until all are in', async () => {
    await start({ unknownSockets: 2, unknownSocketsPerAddress: 1 });
    const idle = await holdPlaces(['192.0.2.1', '192.0.2.2']);
    const token = await signTestToken('ann');
    const clients = Array.from({ length: 20 }, () => new Client(harness.url, { token, reconnects: true }));
    const refused: string[] = [];
    for (const { socket } of clients) socket.on('connect_error', (error) => refused.push(error.message));
    await waitFor(() => refused.length >= clients.length, { what: 'the refusals' });
    expect(new Set(refused)).toEqual(new Set(['websocket error']));
    for (const raw of idle) raw.socket.terminate();
    await waitFor(() => clients.every(({ socket }) => socket.connected), {
      what: 'all of them',
      timeoutMs: 60_000,
    });
    for (const client of clients) client.close();
  }, 90_000);

  it('leave places for `/ws/chat`, whose handshakes bring their token', async () => {
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

describe('a connection of Engine.IO', () => {
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
