import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import {
  createToolset,
  stdioServer,
  stopToolsets,
  toolContext,
  toolOf,
} from '../../../libs/mcp/testing/fixture.js';

const folder = join(import.meta.dirname, '../../../.cache/mcp-server-time');
const howTo = 'python3 -m pip install --target .cache/mcp-server-time mcp-server-time==2026.10.19';
const isThere = existsSync(join(folder, 'mcp_server_time'));
const title = 'mcp-server-time, a server from PyPI';
const describeServer = isThere ? describe : describe.skip;

afterAll(stopToolsets);

describeServer(isThere ? title : `${title} [SKIPPED, not installed: ${howTo}]`, () => {
  it('an MCP server in Python lists tools, answers, and reports invalid arguments', async () => {
    const server = { command: 'python3', env: { PYTHONPATH: folder } };
    const toolset = createToolset(stdioServer('time', ['-m', 'mcp_server_time'], server));
    await toolset.start();
    const convert = toolOf(toolset, 'convert_time');
    const asked = { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' };
    expect(plainText(await convert.run(asked, toolContext()))).toContain('21:00');
    const wrong = await convert.run({ ...asked, time: 'noon' }, toolContext()).then(
      ({ error }) => error,
      ({ detail }: { detail: unknown }) => detail,
    );
    expect(wrong).toMatchObject({ error_message: expect.stringContaining('HH:MM') });
  });
});
