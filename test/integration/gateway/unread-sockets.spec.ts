import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
import { startHarness, type Harness } from './gateway-harness.js';
import { RawClient } from './raw-client.js';

let harness: Harness;
afterEach(() => harness.stop());

/** Sends until the gateway ends the connection; what was sent. */
async function flood(raw: RawClient, frame: string, isPing = false): Promise<number> {
  let sent = 0;
  while (!raw.isClosed && sent < 40_000_000) {
    for (const burst = sent + 20_000; sent < burst;) {
      if (isPing) raw.socket.ping(frame);
      else raw.socket.send(frame);
      sent += frame.length + 6;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return sent;
}

const limitsReached = () =>
  harness.log.map((line) => (JSON.parse(line) as { limit?: string }).limit).filter((limit) => limit);

describe('an unauthenticated connection that does not read', () => {
  it.each([
    ['namespaces that do not exist', '40/x,', 'packets_of_unknown_socket'],
    ['a large packet', `40/${'x'.repeat(100_000)},`, 'bytes_of_unknown_socket'],
    ['binary attachments', '451-["x",{"_placeholder":true,"num":0}]', 'binary_frames'],
    ['an attachment in base64', 'bAAAA', 'binary_frames'],
  ])('is closed when it asks for %s', async (_what, frame, limit) => {
    harness = await startHarness();
    const raw = RawClient.open(harness.url);
    await waitFor(() => raw.packets('0').length > 0, { what: 'the handshake' });
    raw.socket.pause();
    await flood(raw, frame);
    expect([raw.isClosed, limitsReached()]).toEqual([true, [limit]]);
  });

  it('is closed when it sends pings', async () => {
    harness = await startHarness();
    const raw = RawClient.open(harness.url);
    await waitFor(() => raw.packets('0').length > 0, { what: 'the handshake' });
    raw.socket.pause();
    await flood(raw, 'x'.repeat(100), true);
    expect([raw.isClosed, limitsReached()]).toEqual([true, ['bytes_of_unknown_socket']]);
  });
});

describe('an authenticated connection that does not read', () => {
  it.each([
    ['events that do not exist', '421["x"]', 'unread_answers'],
    ['namespaces that do not exist', '40/x,', 'connects_per_socket'],
  ])('is closed when it sends %s', async (_what, frame, limit) => {
    harness = await startHarness();
    const raw = await RawClient.enter(harness.url);
    raw.socket.pause();
    await flood(raw, frame);
    expect([raw.isClosed, limitsReached()]).toEqual([true, [limit]]);
    expect(harness.running.gateway.sessions.size).toBe(0);
  });

  it('is closed when it sends far too many bytes as pings', async () => {
    harness = await startHarness({ limits: { bytesPerMinute: 1_000_000 } });
    const raw = await RawClient.enter(harness.url);
    raw.socket.pause();
    await flood(raw, 'x'.repeat(100), true);
    expect([raw.isClosed, limitsReached()]).toEqual([true, ['bytes_per_minute']]);
  });
});

it('a frame with far too many values closes its connection and is never parsed', async () => {
  harness = await startHarness();
  const raw = await RawClient.enter(harness.url);
  const parse = jest.spyOn(JSON, 'parse');
  raw.socket.send(`421["message",[${'{},'.repeat(100_000)}0]]`);
  await waitFor(() => raw.isClosed, { what: 'the end of the connection' });
  const longest = Math.max(0, ...parse.mock.calls.map(([text]) => text.length));
  parse.mockRestore();
  expect([longest < 100_000, limitsReached()]).toEqual([true, ['values_per_frame']]);
});

it('announced attachments that never complete are not awaited', async () => {
  harness = await startHarness();
  const raw = await RawClient.enter(harness.url);
  raw.socket.send('4510-["ping",{"_placeholder":true,"num":0}]');
  raw.socket.send(Buffer.alloc(1_000_000));
  await waitFor(() => raw.isClosed, { what: 'the end of the connection' });
  expect(limitsReached()).toEqual(['binary_frames']);
});

it('a ping of a connection over Socket.IO is answered, from the handshake on', async () => {
  harness = await startHarness();
  const raw = RawClient.open(harness.url);
  const pongs: string[] = [];
  raw.socket.on('pong', (data) => pongs.push(data.toString()));
  raw.socket.on('open', () => raw.socket.ping('first'));
  await waitFor(() => pongs.length === 1, { what: 'the first pong' });
  raw.socket.ping('second');
  await waitFor(() => pongs.length === 2, { what: 'the second pong' });
  expect(pongs).toEqual(['first', 'second']);
});

it('a client that reads gets an answer for each unknown event sent one after the other', async () => {
  harness = await startHarness();
  const client = await harness.connect();
  for (let count = 0; count < 200; count++)
    expect((await client.request('x')).error).toMatchObject({ code: 'invalid' });
});
