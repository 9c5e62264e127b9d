import { request } from 'node:http';
import { WebSocket } from 'ws';

/*
 * Readers in a process of their own, who count bytes. Told over IPC: an `Asking` asks so often at once and answers
 * `asked`; `begin` starts the clock; a `Read` follows when everybody has been told everything.
 */

export interface Asking {
  /** `http:` or `ws:`. */
  url: string;
  /** Each `#` in it stands for a conversation that nobody else has. */
  body: object;
  /** Where such a conversation is made; else any name will do. */
  create?: string;
  turns: number;
}

export interface Read {
  /** From `begin` to the last byte, or to the last frame before `complete`. */
  ms: number;
  /** Of one of them. */
  bytes: number;
}

interface Reading {
  bytes: number;
  lastAt: number;
}

let next = 0;
let begunAt = 0;
process.on('disconnect', () => process.exit());
process.on('message', (told: Asking | 'begin') => {
  if (told === 'begin') begunAt = performance.now();
  else void ask(told);
});

async function ask({ url, body, create, turns }: Asking): Promise<void> {
  const open = url.startsWith('ws:') ? openSocket : openStream;
  const openOne = async () => open(url, JSON.stringify(body).replaceAll('#', await newPlace(create)));
  const opened = await Promise.all(Array.from({ length: turns }, openOne));
  process.send?.('asked');
  const readings = await Promise.all(opened.map(({ ended }) => ended));
  const { bytes } = readings[0]!;
  const ms = Math.max(...readings.map(({ lastAt }) => lastAt)) - begunAt;
  process.send?.({ ms, bytes } satisfies Read);
}

async function newPlace(create: string | undefined): Promise<string> {
  if (create === undefined) return `bench-${process.pid}-${next++}`;
  return ((await (await fetch(create, { method: 'POST' })).json()) as { id: string }).id;
}

function openStream(url: string, body: string): Promise<{ ended: Promise<Reading> }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } });
    asked.once('error', reject);
    asked.once('response', (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url} answered ${response.statusCode}`));
      const reading = { bytes: 0, lastAt: 0 };
      response.on('data', (piece: Buffer) => note(reading, piece));
      resolve({ ended: new Promise((done) => response.once('end', () => done(reading))) });
    });
    asked.end(body);
  });
}

async function openSocket(url: string, body: string): Promise<{ ended: Promise<Reading> }> {
  const socket = new WebSocket(url);
  const reading = { bytes: 0, lastAt: 0 };
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const ended = new Promise<Reading>((done) => {
    socket.once('close', () => done(reading));
    socket.on('message', (data: Buffer) => {
      // It is said no sooner than 300 ms after the question, however early everything else was.
      if (data.includes('"type":"complete"')) socket.close();
      else note(reading, data);
    });
  });
  socket.send(body);
  return { ended };
}

function note(reading: Reading, piece: Buffer): void {
  reading.bytes += piece.length;
  reading.lastAt = performance.now();
}
