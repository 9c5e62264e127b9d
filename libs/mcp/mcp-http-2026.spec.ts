import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import { waitFor } from '../../test/services/wait-for.js';
import { findFreePort } from '../../test/services/free-port.js';
import { parseMcpConfig } from './config/mcp-config.js';
import type { McpToolset } from './mcp-toolset.js';
import {
  createToolset,
  recordingLogger,
  stopToolsets,
  testServerScript,
  toolContext,
  toolOf,
  untilChanged,
} from './testing/fixture.js';
import { httpServer, killHttpServers, startHttpServer } from './testing/http-fixture.js';

const TOKEN = 'tok3n';
const logger = recordingLogger();
let port: number;
let child: ChildProcess;
let toolset: McpToolset;

const listings = async (at = port) => Number(await (await fetch(`http://127.0.0.1:${at}/listings`)).text());
const start = () =>
  startHttpServer(port, [testServerScript('scripted-http')], { TOKEN, LIST_TTL_MS: '3600000' });

beforeAll(async () => {
  port = await findFreePort();
  child = await start();
  const headers = { Authorization: 'Bearer ${SCRIPTED_TOKEN}' };
  const file = JSON.stringify({ mcpServers: { remote: { url: `http://127.0.0.1:${port}/mcp`, headers } } });
  const [server] = parseMcpConfig(file, 'mcp.json', { SCRIPTED_TOKEN: TOKEN });
  toolset = createToolset(server!, { checkEveryMs: 50, minTtlMs: 50 }, logger);
  await toolset.start();
});

afterAll(async () => {
  await stopToolsets();
  killHttpServers();
});

describe('a server of 2026-07-28 only, over streamable HTTP with a bearer token', () => {
  it('lists, answers and reports progress', async () => {
    expect(toolset.version).toBe('3.2.1');
    const seen: unknown[] = [];
    const context = toolContext({ progress: (...reported) => void seen.push(reported) });
    const result = await toolOf(toolset, 'wait').run({ steps: 2, stepMs: 10 }, context);
    expect(plainText(result)).toBe('waited');
    expect(seen).toEqual([
      [1, 2, 'step 1'],
      [2, 2, 'step 2'],
    ]);
  });

  it('has its log messages in the operators’ log, and not shown to viewers', async () => {
    const seen: unknown[] = [];
    const context = toolContext({ progress: (...reported) => void seen.push(reported) });
    await toolOf(toolset, 'talk').run({}, context);
    const line = logger.lines.find(({ message }) => message.includes('hello'));
    expect(line).toMatchObject({ level: 'warn', fields: { server: 'remote' } });
    expect(seen).toEqual([]);
  });

  it('fails its call with the reason when it asks for the model', async () => {
    await expect(toolOf(toolset, 'sample').run({}, toolContext())).rejects.toMatchObject({
      detail: {
        error_type: 'ToolExecutionError',
        error_message: expect.stringContaining('Switchyard does not give MCP servers access to its model'),
      },
    });
  });

  it('is cancelled by closing its stream', async () => {
    const controller = new AbortController();
    const context = toolContext({ signal: controller.signal, progress: () => controller.abort() });
    await expect(toolOf(toolset, 'wait').run({ steps: 1000, stepMs: 50 }, context)).rejects.toMatchObject({
      detail: { error_type: 'Cancelled' },
    });
  });

  it('fails a call whose answer is too long, and answers the next call', async () => {
    const huge = toolOf(toolset, 'huge').run({ bytes: 50 * 1024 * 1024 }, toolContext());
    await expect(huge).rejects.toBeInstanceOf(Error);
    expect(plainText(await toolOf(toolset, 'huge').run({ bytes: 3 }, toolContext()))).toBe('xxx');
  });

  it('is not listed again within the TTL of its list', async () => {
    const before = await listings();
    for (let call = 0; call < 5; call++) {
      await toolOf(toolset, 'wait').run({ steps: 1, stepMs: 50 }, toolContext());
    }
    expect(await listings()).toBe(before);
  });

  it('is listed again after the TTL of its list', async () => {
    const otherPort = await findFreePort();
    await startHttpServer(otherPort, [testServerScript('scripted-http')], { LIST_TTL_MS: '60' });
    const other = createToolset(httpServer(otherPort), { minTtlMs: 50 });
    await other.start();
    const isListedAgain = async () => {
      await toolOf(other, 'set').run({}, toolContext());
      return (await listings(otherPort)) >= 3;
    };
    await waitFor(isListedAgain, { what: 'a third listing' });
  });

  it('is withdrawn by the next call at the latest when it is killed, and reconnected when it is back', async () => {
    const gone = untilChanged(toolset, () => toolset.tools().length === 0);
    const set = toolOf(toolset, 'set');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect(set.run({}, toolContext())).rejects.toBeInstanceOf(Error);
    await gone;
    child = await start();
    await untilChanged(toolset, () => toolset.tools().length > 0);
    expect(plainText(await set.run({}, toolContext()))).toBe('set');
    expect(JSON.stringify(logger.lines)).not.toContain(TOKEN);
  });
});
