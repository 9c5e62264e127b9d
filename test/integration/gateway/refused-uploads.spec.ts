import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RawConnection, type Begun } from '../../services/raw-connection.js';
import { waitSkipping } from '../../services/wait-skipping.js';
import { startHarness, type Harness } from './gateway-harness.js';

const MIB = 1024 * 1024;
const BODY = Buffer.alloc(64 * MIB, 'x');
const REQUESTS = 'http.server.request.start';

let harness: Harness;
/** The gateway's side of each connection on which something was asked. */
const asked = new Set<Socket>();
const note = (message: unknown) => void asked.add((message as { socket: Socket }).socket);
beforeEach(() => {
  asked.clear();
  subscribe(REQUESTS, note);
});
afterEach(async () => {
  unsubscribe(REQUESTS, note);
  await harness.stop();
});

async function upload(path: string, begun: Begun = {}): Promise<number[]> {
  const connection = await RawConnection.open({ port: harness.running.port });
  connection.begin(path, { length: 100 * BODY.length, body: '', ...begun });
  connection.socket.write(BODY);
  await ended(connection);
  return connection.statuses;
}

/** The gateway lingers for a second after its answer. */
async function ended(connection: RawConnection): Promise<void> {
  await connection.status();
  const isClosed = () => connection.isClosed;
  await waitSkipping(harness.clock, isClosed, { what: 'the end of the connection', withinMs: 10_000 });
}

function readBytes(): number {
  return [...asked].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
}

const typed = (type: string) => ({ headers: { 'Content-Type': type } });

describe('a refused upload', () => {
  it.each<[what: string, path: string, begun: Begun, status: number]>([
    ['of another type', '/api/conversations', typed('text/plain'), 415],
    ['that is too large', '/api/conversations', {}, 413],
    ['of a form that is too large', '/api/auth/token', typed('application/x-www-form-urlencoded'), 413],
    ['of another website', '/api/conversations', { headers: { Origin: 'https://example.org' } }, 403],
    ['of a health check', '/health/live', { method: 'GET' }, 200],
    ['of a request for metrics', '/metrics', { method: 'GET' }, 200],
    ['for Socket.IO', '/socket.io/?EIO=4&transport=polling', {}, 400],
  ])('%s: is not read, and the connection closes', async (_what, path, begun, status) => {
    harness = await startHarness();
    expect(await upload(path, begun)).toEqual([status]);
    expect(readBytes()).toBeLessThan(MIB);
  });

  it('without a free place: is not read, and the connection closes', async () => {
    harness = await startHarness({ limits: { httpRequests: 0 } });
    expect(await upload('/api/conversations')).toEqual([503]);
    expect(readBytes()).toBeLessThan(MIB);
  });

  it('as a form of unannounced length: is not read once it is too large', async () => {
    harness = await startHarness();
    const connection = await RawConnection.open({ port: harness.running.port });
    const head = ['Host: 127.0.0.1', 'Content-Type: application/x-www-form-urlencoded'];
    connection.send(
      `POST /api/auth/token HTTP/1.1\r\n${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    connection.send(`${BODY.length.toString(16)}\r\n`);
    connection.socket.write(BODY);
    await ended(connection);
    expect(connection.statuses).toEqual([413]);
    expect(readBytes()).toBeLessThan(3 * MIB);
  });
});
