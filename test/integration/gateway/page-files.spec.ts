import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { RawConnection } from '../../services/raw-connection.js';
import { waitFor } from '../../services/wait-for.js';
import { ServerSockets } from '../server-sockets.js';
import { startHarness, type Harness } from './gateway-harness.js';

let harness: Harness;
let pageDir: string;
const sockets = new ServerSockets();

beforeEach(async () => {
  pageDir = await mkdtemp(join(tmpdir(), 'page-'));
  // More than the kernel takes of what nobody reads.
  await writeFile(join(pageDir, 'large.txt'), Buffer.alloc(16 * 1024 * 1024, 'x'));
  sockets.note();
  harness = await startHarness({ pageDir });
});
afterEach(async () => {
  sockets.destroy();
  await harness.stop();
  await rm(pageDir, { recursive: true });
});

it('the page: a client that leaves in the middle of a file does no harm', async () => {
  const client = await RawConnection.open({ port: harness.running.port });
  const server = await sockets.of(client.socket);
  client.send('GET /large.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await client.status();
  client.close();
  await waitFor(() => server.destroyed, { what: 'the end of the connection' });
  // What is thrown in a turn of the event loop of its own fails this test.
  for (let round = 0; round < 5; round++) await new Promise(setImmediate);
  expect((await fetch(`${harness.url}/health/live`)).status).toBe(200);
});
