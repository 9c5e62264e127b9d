import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { makeArtifact } from '../../../libs/tools/make-artifact.js';
import { waitFor } from '../../services/wait-for.js';
import { ServerSockets } from '../server-sockets.js';
import { startHarness, type Harness } from './gateway-harness.js';

const SIZE = 1024 * 1024;

let harness: Harness;
const sockets = new ServerSockets();

beforeEach(async () => {
  sockets.note();
  harness = await startHarness();
});
afterEach(() => sockets.destroy());

async function keep(content: string): Promise<string> {
  const made = await fetch(`${harness.url}/api/conversations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const { id: conversation_id } = (await made.json()) as { id: string };
  const place = { user_id: 'local', conversation_id, turn_id: 't', tool_call_id: 'c' };
  const artifact = makeArtifact(place, { content, contentType: 'text/plain' }, new Date().toISOString());
  await harness.store.putArtifact(artifact);
  return artifact._id;
}

/** As if the kernel took nothing more, until told: its buffers may be larger than any answer. */
function takeNothing(socket: Socket): () => void {
  const write = socket._write.bind(socket);
  const writeMany = socket._writev?.bind(socket);
  const held: (() => void)[] = [];
  socket._write = (...piece) => void held.push(() => write(...piece));
  socket._writev = (...pieces) => void held.push(() => writeMany?.(...pieces));
  return () => {
    Object.assign(socket, { _write: write, _writev: writeMany });
    for (const go of held) go();
  };
}

/** Asks for the artifact on a connection that takes nothing of the answer before `takeOn`. */
async function askSlowly(artifactId: string) {
  const socket = connect(harness.running.port, '127.0.0.1');
  await once(socket, 'connect');
  const server = await sockets.of(socket);
  const takeOn = takeNothing(server);
  socket.write(`GET /api/artifacts/${artifactId} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await waitFor(() => server.writableLength > SIZE, { what: 'the answer being written' });
  let length = 0;
  socket.on('data', (piece: Buffer) => (length += piece.length));
  const closed = once(socket, 'close');
  return { takeOn, received: () => closed.then(() => length) };
}

async function drain(graceMs: number) {
  const unused = connect(harness.running.port, '127.0.0.1');
  await once(unused, 'connect');
  await sockets.of(unused);
  const drained = harness.running.drain(graceMs);
  // It is broken when nothing is waited for any more but answers.
  await once(unused, 'close');
  for (let round = 0; round < 50; round++) await new Promise(setImmediate);
  return { drained: drained.then(() => Promise.all([harness.driver.close(), harness.store.close()])) };
}

it('a draining gateway lets a slow client finish its answer', async () => {
  const { takeOn, received } = await askSlowly(await keep('x'.repeat(SIZE)));
  const { drained } = await drain(60_000);
  takeOn();
  expect(await received()).toBeGreaterThan(SIZE);
  await drained;
});

it('a draining gateway does not wait for a client that reads nothing', async () => {
  const { received } = await askSlowly(await keep('x'.repeat(SIZE)));
  const { drained } = await drain(100);
  expect(await received()).toBe(0);
  await drained;
});
