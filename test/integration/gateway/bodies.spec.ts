import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RawConnection } from '../../services/raw-connection.js';
import { waitFor } from '../../services/wait-for.js';
import { JWT_SECRET, signTestToken, startHarness, type Harness } from './gateway-harness.js';

const PATH = '/api/chat-artifacts';
const MIB = 1024 * 1024;

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await harness.stop();
});

/** The status; the answer of an accepted message is not waited for. */
async function send(body: Buffer, type = 'application/json', path = PATH): Promise<number> {
  const over = new AbortController();
  const response = await fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: new Uint8Array(body),
    signal: over.signal,
  });
  if (response.ok) over.abort();
  else await response.text();
  return response.status;
}

const chat = (bytes: number) =>
  JSON.stringify({ message: 'Hi', pinnedArtifacts: [pinned('x'.repeat(bytes))] });
const pinned = (content: string) => ({ id: '1', type: 'text/plain', title: 'T', content });
const held = () => harness.running.gateway.bodies.budget.held;

describe.each([
  ['small', 100],
  ['large', 2 * MIB],
])('a %s body', (_size, bytes) => {
  const text = chat(bytes);
  const bom = Buffer.from([0xef, 0xbb, 0xbf]);

  it.each([
    ['of UTF-8', Buffer.from(text), 'application/json; charset="UTF-8"'],
    ['with a byte order mark', Buffer.concat([bom, Buffer.from(text)]), undefined],
    ['of UTF-16', Buffer.from(`\uFEFF${text}`, 'utf16le'), 'application/json; charset=utf-16'],
    [
      'of UTF-16, high byte first',
      Buffer.from(text, 'utf16le').swap16(),
      'application/json;charset=utf-16be',
    ],
  ])('%s is read', async (_what, body, type) => {
    expect(await send(body, type)).toBe(200);
    expect(held()).toBe(0);
  });

  const latin1 = Buffer.from(text.replace('Hi', 'Hé'), 'latin1');
  it.each([
    ['of another charset', Buffer.from(text), 'application/json; charset=iso-8859-1', 400],
    ['of a charset that does not exist', Buffer.from(text), 'application/json; charset=x', 400],
    ['that is not UTF-8', latin1, undefined, 400],
    ['that ends in the middle of a character', Buffer.from(`${text}\u00e9`).subarray(0, -1), undefined, 400],
    ['that is not UTF-16', Buffer.from(text), 'application/json; charset=utf-16', 400],
    [
      'of UTF-16 that ends in the middle of a character',
      Buffer.concat([Buffer.from(text, 'utf16le'), Buffer.from('x')]),
      'application/json; charset=utf-16',
      400,
    ],
    ['with two byte order marks', Buffer.concat([bom, bom, Buffer.from(text)]), undefined, 400],
  ])('%s is refused', async (_what, body, type, status) => {
    expect(await send(body, type)).toBe(status);
    expect(held()).toBe(0);
    expect(await send(Buffer.from(text))).toBe(200);
  });
});

it('a body that kills its thread is refused, and the next one is read by another thread', async () => {
  const body = Buffer.from(chat(2 * MIB));
  const threads = new Set<Worker>();
  const { postMessage } = Worker.prototype;
  const post = jest.spyOn(Worker.prototype, 'postMessage');
  post.mockImplementation(function (this: Worker, ...sent) {
    threads.add(this);
    if (threads.size === 1) void this.terminate();
    else postMessage.apply(this, sent);
  });
  expect(await send(body)).toBe(413);
  expect(held()).toBe(0);
  expect(await send(body)).toBe(200);
  expect([threads.size, held()]).toEqual([2, 0]);
});

/** The thread is given bodies from when it is let go on; in which order, by what they say. */
function holdThread() {
  const given: string[] = [];
  const goOn: (() => void)[] = [];
  const { postMessage } = Worker.prototype;
  const post = jest.spyOn(Worker.prototype, 'postMessage');
  post.mockImplementation(function (this: Worker, ...sent) {
    const [{ slabs }] = sent as [{ slabs: Uint8Array[] }];
    given.push(/"message":"(.*?)"/.exec(Buffer.from(slabs[0]!).toString())?.[1] ?? '');
    if (given.length > 1) postMessage.apply(this, sent);
    else goOn.push(() => postMessage.apply(this, sent));
  });
  return { given, goOn: () => goOn.splice(0).forEach((go) => go()) };
}

it('a user with small but expensive bodies delays another one by at most two of them', async () => {
  await harness.stop();
  harness = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } } });
  const thread = holdThread();
  const reads = jest.spyOn(harness.running.gateway.bodies, 'read');
  const ask = async (user: string, message: string) => {
    const response = await fetch(`${harness.url}${PATH}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await signTestToken(user)}`,
      },
      body: `{"message":"${message}","x":[${'{},'.repeat(30_000)}{}]}`,
    });
    await response.body?.cancel();
    return response.status;
  };
  const asked: Promise<number>[] = [];
  for (const message of ['ann 1', 'ann 2', 'ann 3', 'ann 4', 'bob 1']) {
    asked.push(ask(message.slice(0, 3), message));
    await waitFor(() => reads.mock.calls.length === asked.length, { what: 'the body before' });
  }
  thread.goOn();
  expect(await Promise.all(asked)).toEqual([200, 200, 200, 200, 200]);
  expect(thread.given).toEqual(['ann 1', 'ann 2', 'bob 1', 'ann 3', 'ann 4']);
});

it('a body that is being read when the gateway drains is answered as usual', async () => {
  const thread = holdThread();
  const { feeds } = harness.running.gateway;
  const lastStep = jest.spyOn(feeds, 'stop');
  const answer = send(Buffer.from(`{"x":"${'x'.repeat(2 * MIB)}"}`));
  await waitFor(() => thread.given.length === 1, { what: 'the body' });
  const drained = harness.running.drain(60_000);
  await waitFor(() => lastStep.mock.calls.length === 1, { what: 'the end of everything else' });
  thread.goOn();
  expect(await answer).toBe(400);
  await drained;
});

it('a body of another charset is refused as an unknown type where no dialect answers', async () => {
  const headers = { 'content-type': 'application/json; charset=iso-8859-1' };
  const response = await fetch(`${harness.url}/api/conversations`, { method: 'POST', headers, body: '{}' });
  expect(response.status).toBe(415);
});

it('a body of unannounced length is counted as it arrives', async () => {
  await harness.stop();
  harness = await startHarness({ limits: { bodyBytes: 2 * MIB } });
  const connection = await RawConnection.open({ port: harness.running.port });
  const head = ['Host: 127.0.0.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
  connection.send(`POST ${PATH} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
  const piece = 'x'.repeat(MIB);
  for (let count = 0; count < 3; count++) connection.send(`${MIB.toString(16)}\r\n${piece}\r\n`);
  expect(await connection.status()).toBe(503);
  await connection.closed();
  expect(held()).toBe(0);
});

it.each([
  ['/api/conversations', 10_000, 413],
  ['/mcp', 10_000, 413],
  [PATH, 50_000, 200],
  [PATH, 200_000, 413],
])('%s answers a body of more than %d values with %d', async (path, values, status) => {
  const body = `{"message":"Hi","x":[${'{},'.repeat(values)}{}]}`;
  expect(await send(Buffer.from(body), undefined, path)).toBe(status);
});

it('a compressed body of empty content is limited by its received bytes', async () => {
  const connection = await RawConnection.open({ port: harness.running.port });
  const head = ['Host: 127.0.0.1', 'Content-Type: application/json', 'Content-Encoding: deflate'];
  connection.send(
    `POST /api/conversations HTTP/1.1\r\n${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const sendPiece = (piece: string) => connection.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
  sendPiece('\x78\x9c');
  // Stored blocks of no bytes, none of which is the last.
  const empty = '\x00\x00\x00\xff\xff'.repeat(20_000);
  for (let sent = 0; sent <= MIB; sent += empty.length) sendPiece(empty);
  expect(await connection.status()).toBe(413);
  await connection.closed();
});
