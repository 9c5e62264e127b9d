import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import { findFreePort } from '../../test/services/free-port.js';
import {
  createToolset,
  recordingLogger,
  serverScript,
  stopToolsets,
  toolContext,
  toolOf,
  untilChanged,
} from './testing/fixture.js';
import { httpServer, killHttpServers, startHttpServer } from './testing/http-fixture.js';

const startEverything = (port: number) =>
  startHttpServer(port, [serverScript('everything'), 'streamableHttp']);

afterEach(async () => {
  await stopToolsets();
  killHttpServers();
});

describe('server-everything over streamable HTTP', () => {
  it('answers, and reports progress', async () => {
    const port = await findFreePort();
    await startEverything(port);
    const toolset = createToolset(httpServer(port));
    await toolset.start();
    expect(plainText(await toolOf(toolset, 'echo').run({ message: 'hi' }, toolContext()))).toContain('hi');
    const seen: number[] = [];
    const context = toolContext({ progress: (progress) => void seen.push(progress) });
    await toolOf(toolset, 'trigger-long-running-operation').run({ duration: 0.2, steps: 2 }, context);
    expect(seen).toEqual([1, 2]);
  });

  it('fails the call during which it is killed, and is reconnected when it is back', async () => {
    const port = await findFreePort();
    const child = await startEverything(port);
    const toolset = createToolset(httpServer(port), { checkEveryMs: 200 });
    await toolset.start();
    const echo = toolOf(toolset, 'echo');
    const gone = untilChanged(toolset, () => toolset.tools().length === 0);
    const context = toolContext({ progress: () => void child.kill('SIGKILL') });
    const lost = toolOf(toolset, 'trigger-long-running-operation').run(
      { duration: 100, steps: 500 },
      context,
    );
    await expect(lost).rejects.toMatchObject({ name: 'ToolConnectionLostError' });
    await gone;
    await expect(echo.run({ message: 'x' }, toolContext())).rejects.toMatchObject({
      detail: { error_type: 'DependencyUnavailable' },
    });
    await startEverything(port);
    await untilChanged(toolset, () => toolset.tools().length > 0);
    expect(plainText(await echo.run({ message: 'again' }, toolContext()))).toContain('again');
  });

  it('receives the configured headers, and a refusal is logged without them', async () => {
    const seen: (string | undefined)[] = [];
    const refusing = createHttpServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401).end();
    }).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const logger = recordingLogger();
    const { port } = refusing.address() as AddressInfo;
    const toolset = createToolset(
      httpServer(port, { headers: { Authorization: 'Bearer s3cret' } }),
      {},
      logger,
    );
    await toolset.start();
    await toolset.stop();
    refusing.close();
    expect(seen[0]).toBe('Bearer s3cret');
    expect(toolset.tools()).toEqual([]);
    expect(JSON.stringify(logger.lines)).not.toContain('s3cret');
  });
});
