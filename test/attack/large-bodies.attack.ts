import { request, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Attack, Finding } from './attack.js';
import { startTarget, type Target } from './target.js';

const PATH = '/api/chat-artifacts';
const MIB = 1024 * 1024;
const LARGEST = 50 * MIB;
/** Short: what is refused before it is parsed is so at any size. */
const SHORT = 6 * MIB;
const PATIENCE_MS = 60_000;
const CHUNK_BYTES = 65_536;

/** Bodies that cost far more than their size must be refused before they cost it; ordinary ones of 50 MB are answered. */
export const largeBodies: Attack = {
  name: 'large-bodies',
  says: 'a user sends bodies of 50 MB, of every shape that is slow to parse',
  async run({ isShort }) {
    const target = await startTarget(isShort ? {} : { heapMiB: 1024 });
    try {
      const ann = new Sender(target, await target.register('ann'));
      const bob = new Sender(target, await target.register('bob'));
      const size = isShort ? SHORT : LARGEST;
      const ordinary = await ann.send(ordinaryBody(size - 4096));
      const costly = repeated('{},', size);
      const idleMiB = target.rssMiB();
      target.beginWatch();
      const once = await ann.send(costly);
      const evil: number[] = [];
      for (const body of evilBodies(isShort ? [MIB] : [4 * MIB, size]))
        evil.push((await ann.send(body)).status);
      const four = await Promise.all([1, 2, 3, 4].map(() => ann.send(costly)));
      const bomb = repeated('          ', isShort ? 60 * MIB : 400 * MIB);
      const bombs = await Promise.all([1, 2].map(() => bob.send(bomb, { isZipped: true })));
      const again = await bob.send(ordinaryBody(size - 4096));
      const { isAlive, longestSilenceMs, peakMiB } = await target.endWatch();
      return [
        count('ordinary bodies of the largest size that are refused', [ordinary, again].filter(isRefused), 0),
        count(
          'bodies of 17 million objects that are taken',
          [once, ...four].filter((a) => !isRefused(a)),
          0,
        ),
        count(
          'bombs that are taken',
          bombs.filter((a) => !isRefused(a)),
          0,
        ),
        count(
          'answers 5xx other than 503',
          evil.filter((status) => status >= 500 && status !== 503),
          0,
        ),
        count('processes that have died', isAlive ? [] : [1], 0),
        ...(await half(target, ann, bob, size)),
        { what: 'longest silence', figure: longestSilenceMs, unit: 'ms', goal: { atMost: 100 } },
        { what: 'memory above idle', figure: peakMiB - idleMiB, unit: 'MiB', goal: { atMost: 900 } },
      ];
    } finally {
      await target.stop();
    }
  },
};

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
}

/** Uploads that do not end: the third of a user is refused before it is read, and the places come back. */
async function half(target: Target, ann: Sender, bob: Sender, size: number): Promise<Finding[]> {
  const held = [ann.begin(size), ann.begin(size)];
  await waitUntil(async () => {
    const third = await ann.send(ordinaryBody(2 * MIB));
    return third.status === 429 && third.headers['retry-after'] !== undefined;
  });
  const before = target.readBytes();
  const third = await ann.send(repeated('{},', LARGEST));
  const read = target.readBytes() - before;
  const other = await bob.send(ordinaryBody(2 * MIB));
  for (const upload of held) upload.destroy();
  await waitUntil(async () => !isRefused(await ann.send(ordinaryBody(2 * MIB))));
  return [
    count('third large bodies of one user at once that are taken', third.status === 429 ? [] : [third], 0),
    { what: 'read of a refused upload', figure: read, unit: 'bytes', goal: { atMost: 4 * MIB } },
    count('large bodies of somebody else that are refused meanwhile', [other].filter(isRefused), 0),
  ];
}

class Sender {
  constructor(
    private readonly target: Target,
    private readonly token: string,
  ) {}

  /** Until there is an answer; the rest of the body is not sent then. */
  send(body: Body, { isZipped = false } = {}): Promise<Answer> {
    return new Promise((resolve) => {
      const sending = this.open(
        isZipped
          ? { 'content-encoding': 'gzip' }
          : body.length === undefined
            ? {}
            : { 'content-length': String(body.length) },
      );
      const settle = (status: number, headers: IncomingHttpHeaders = {}) => {
        resolve({ status, headers });
        sending.destroy();
      };
      sending.on('response', (answer) => {
        answer.resume();
        settle(answer.statusCode ?? 0, answer.headers);
      });
      sending.on('error', () => settle(0));
      sending.setTimeout(PATIENCE_MS, () => settle(0));
      // Before there is a connection everything would be kept.
      sending.once('socket', (socket) =>
        socket.once('connect', () => {
          const chunks = Readable.from(inChunks(body.parts));
          const sent = isZipped ? pipeline(chunks, createGzip(), sending) : pipeline(chunks, sending);
          sent.catch(() => undefined);
        }),
      );
    });
  }

  begin(length: number): ClientRequest {
    const sending = this.open({ 'content-length': String(length) });
    sending.on('error', () => undefined);
    sending.write('{');
    return sending;
  }

  private open(headers: Record<string, string>) {
    return request(this.target.url + PATH, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
    });
  }
}

function isRefused({ status }: Answer): boolean {
  return status !== 200;
}

function count(what: string, found: readonly unknown[], atMost: number): Finding {
  return { what, figure: found.length, unit: 'count', goal: { atMost } };
}

/** Made while it is sent: whoever makes it at once cannot watch meanwhile. */
interface Body {
  length?: number;
  parts: Iterable<string>;
}

/** A few fields with files in them, as the front end sends them. */
function ordinaryBody(size: number): Body {
  const half = Math.floor(size / 2) - 200;
  const file = '{"id":"1","type":"image/png","title":"Picture","content":"';
  return body(size, function* () {
    yield `{"message":"hi","pinnedArtifacts":[${file}`;
    yield* repeat('QUJDREVGR0g', half);
    yield `"},${file}`;
    yield* repeat('SElKS0xNTk8', half);
    yield '"}]}';
  });
}

function repeated(unit: string, size: number, begin = '{"message":"hi","x":[', end = '0]}'): Body {
  return body(size, function* () {
    yield begin;
    yield* repeat(unit, size - begin.length - end.length);
    yield end;
  });
}

/** What is shorter than its length ends with blanks. */
function body(size: number, make: () => Generator<string>): Body {
  const parts = {
    *[Symbol.iterator]() {
      let left = size;
      for (const part of make()) {
        left -= Buffer.byteLength(part);
        yield part;
      }
      yield ' '.repeat(left);
    },
  };
  return { length: size, parts };
}

function* repeat(unit: string, size: number): Generator<string> {
  const bytes = Buffer.byteLength(unit);
  const many = unit.repeat(Math.max(1, Math.floor(CHUNK_BYTES / bytes)));
  const manyBytes = Buffer.byteLength(many);
  let left = size;
  for (; left >= manyBytes; left -= manyBytes) yield many;
  yield unit.repeat(Math.floor(left / bytes));
}

function* inChunks(parts: Iterable<string>): Generator<Buffer> {
  let waiting: string[] = [];
  let length = 0;
  for (const part of parts) {
    waiting.push(part);
    length += part.length;
    if (length < CHUNK_BYTES) continue;
    yield Buffer.from(waiting.join(''));
    waiting = [];
    length = 0;
  }
  yield Buffer.from(waiting.join(''));
}

function* evilBodies(sizes: readonly number[]): Generator<Body> {
  for (const size of sizes) {
    yield repeated('[', size, '', '');
    yield repeated('{"a":', size, '', '');
    yield numbered(size, (i) => `,"${i.toString(36)}":0`);
    yield numbered(size, (i) => `,"${4_294_967_294 - i * 7919}":0`);
    yield repeated(',"a":0', size, '{"message":"hi"', '}');
    yield repeated(',"__proto__":{}', size, '{"message":"hi"', '}');
    for (const unit of ['1,', '1e99,', '123456789012345678901e-300,', '"",', '[],', '{"a":{}},'])
      yield repeated(unit, size);
    yield repeated('1', size, '{"message":"hi","x":1e', '}');
    for (const unit of ['a', '\\u0000', '\\"', 'é', '<button class="artifact-button"'])
      yield repeated(
        unit.includes('"') ? JSON.stringify(unit).slice(1, -1) : unit,
        size,
        '{"message":"',
        '"}',
      );
    yield repeated('{\\"id\\":\\"\\"},', size, '{"message":"hi","pinnedGraph":{"content":"[', '0]"}}');
    yield repeated(
      '{"role":"user","content":"x"},',
      size,
      '{"message":"hi","history":[',
      '{"role":"user","content":"x"}]}',
    );
  }
}

function numbered(size: number, make: (i: number) => string): Body {
  const parts = function* () {
    yield '{"message":"hi"';
    for (let length = 0, i = 0; length < size - 40; i++) {
      const part = make(i);
      length += part.length;
      yield part;
    }
    yield '}';
  };
  return { parts: { [Symbol.iterator]: parts } };
}

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error('what was waited for never came');
    await delay(50);
  }
}
