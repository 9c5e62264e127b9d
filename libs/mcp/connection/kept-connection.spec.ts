import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import { SeededRandom, VirtualClock } from '#time/testing';
import { toMcpResult } from '../call/mcp-result.js';
import type { McpServer } from '../config/mcp-config.js';
import { NO_METRICS } from '../config/telemetry.js';
import { recordingLogger, stdioServer, testServerScript, toolContext } from '../testing/fixture.js';
import { httpServer } from '../testing/http-fixture.js';
import { ConnectPause, KeptConnection } from './kept-connection.js';
import type { McpConnection } from './mcp-connection.js';

const TIMINGS = { minPauseMs: 100, maxPauseMs: 1_000 };

let clock: VirtualClock;
let random: SeededRandom;

beforeEach(() => {
  random = new SeededRandom(1);
  clock = new VirtualClock(random);
});

function failTimes(pause: ConnectPause, times: number): number[] {
  return Array.from({ length: times }, () => {
    pause.failed();
    return pause.leftMs;
  });
}

/** With jitter: between half of the pause and all of it. */
function expectPause(leftMs: number | undefined, fullMs: number): void {
  expect(leftMs).toBeGreaterThanOrEqual(fullMs / 2);
  expect(leftMs).toBeLessThanOrEqual(fullMs);
}

describe('ConnectPause', () => {
  it('grows with each failure in a row, up to its limit', async () => {
    const pause = new ConnectPause(TIMINGS, { clock, random });
    expect(pause.leftMs).toBe(0);
    const pauses = failTimes(pause, 6);
    [100, 200, 400, 800, 1_000, 1_000].forEach((fullMs, at) => expectPause(pauses[at], fullMs));
    await clock.advance(1_000);
    expect(pause.leftMs).toBe(0);
  });

  it('starts over after a connection that was good for long enough, not after one that was lost earlier', async () => {
    const pause = new ConnectPause(TIMINGS, { clock, random }, 10_000);
    failTimes(pause, 3);
    for (const [lastedMs, fullMs] of [
      [9_999, 800],
      [10_000, 100],
    ] as const) {
      pause.connected();
      expect(pause.leftMs).toBe(0);
      await clock.advance(lastedMs);
      pause.failed();
      expectPause(pause.leftMs, fullMs);
    }
  });
});

describe('KeptConnection', () => {
  const logger = recordingLogger();
  let kept: KeptConnection;

  const keep = (
    config: McpServer = stdioServer('scripted', [testServerScript('scripted')]),
    prepare?: () => Promise<void>,
  ) =>
    (kept = new KeptConnection({
      ...{ config, logger, clock, prepare },
      metrics: NO_METRICS,
      pause: new ConnectPause(TIMINGS, { clock, random }),
      prior: () => undefined,
      onToolsChanged: () => undefined,
    }));
  const failures = () => logger.lines.filter(({ message }) => message === 'MCP server not connected');

  beforeEach(() => void logger.lines.splice(0));
  afterEach(() => kept.close());

  async function processOf(connection: McpConnection): Promise<number> {
    const { turnId, attach, ...asker } = toolContext();
    const observer = { onProgress: () => undefined, onLog: () => undefined };
    const answer = await connection.callTool('process', {}, { turnId, asker, meta: {}, observer });
    return Number(plainText(await toMcpResult(answer, attach)));
  }

  it('opens one connection for concurrent callers, and another one after it was dropped', async () => {
    keep();
    const [first, same] = await Promise.all([kept.open(), kept.open()]);
    expect(same).toBe(first);
    kept.drop(first);
    expect(kept.has(first)).toBe(false);
    expect(await kept.open()).not.toBe(first);
  });

  it('opens another connection after the server ended', async () => {
    const first = await keep().open();
    process.kill(await processOf(first));
    await first.lost;
    const second = await kept.open();
    expect(second).not.toBe(first);
    expect(kept.has(second)).toBe(true);
  });

  it('makes no attempt during the pause after a failure', async () => {
    keep(stdioServer('missing', [], { command: '/no/such/command' }));
    const unavailable = { detail: { error_details: { retry_after_ms: expect.any(Number) } } };
    await expect(kept.open()).rejects.toMatchObject(unavailable);
    await expect(kept.open()).rejects.toMatchObject(unavailable);
    expect(failures()).toHaveLength(1);
    await clock.advance(TIMINGS.minPauseMs);
    await expect(kept.open()).rejects.toMatchObject(unavailable);
    expect(failures()).toHaveLength(2);
  });

  it('counts a connection that cannot be made ready as a failed attempt', async () => {
    keep(undefined, () => Promise.reject(new Error('no tools')));
    await expect(kept.open()).rejects.toMatchObject({ detail: { error_type: 'DependencyUnavailable' } });
    expect(failures()).toMatchObject([{ fields: { server: 'scripted', reason: 'no tools' } }]);
  });

  it('makes no attempt during the pause after a server has refused access', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked++;
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    keep(httpServer((server.address() as AddressInfo).port, { headers: { Authorization: 'Bearer s3cret' } }));
    const unavailable = { detail: { error_details: { retry_after_ms: expect.any(Number) } } };
    await expect(kept.open()).rejects.toMatchObject(unavailable);
    const before = asked;
    await expect(kept.open()).rejects.toMatchObject(unavailable);
    expect(asked).toBe(before);
    expect(failures()).toMatchObject([{ fields: { reason: expect.stringContaining('401') } }]);
    expect(JSON.stringify(logger.lines)).not.toContain('s3cret');
    server.close();
  });

  it('has ended the processes of dropped connections when it is closed, and opens no more', async () => {
    const dropped = await keep().open();
    const pid = await processOf(dropped);
    kept.drop(dropped);
    await kept.close();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(kept.open()).rejects.toMatchObject({ detail: { error_type: 'DependencyUnavailable' } });
  });
});
