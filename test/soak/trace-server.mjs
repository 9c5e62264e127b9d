/*
 * An MCP server over stdio whose tools leave an indelible trace: before anything else, each start is appended to a
 * file and forced to the disk, with the call and the attempt that asked for it. One tool for each class, and
 * one more that a person must allow.
 */
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const trace = openSync(process.env.TRACE_FILE, 'a');
/** The worker; read at once, because an orphan has another parent. */
const workerPid = process.ppid;

serveStdio(() => {
  const server = new McpServer({ name: 'trace', version: '1.0.0' }, { capabilities: { tools: {} } });
  const inputSchema = z.object({ label: z.string(), takes_ms: z.int() });
  for (const tool of ['read', 'repeat', 'keyed', 'once', 'asked']) {
    const config = { description: `Writes down that it has started (${tool}).`, inputSchema };
    server.registerTool(tool, config, async ({ label, takes_ms }, { mcpReq }) => {
      const call = {
        tool,
        label,
        tool_call_id: mcpReq._meta?.['switchyard/tool_call_id'],
        attempt: mcpReq._meta?.['switchyard/attempt'],
        worker_pid: workerPid,
      };
      writeDown({ at: Date.now(), ...call });
      await delay(takes_ms, undefined, { signal: mcpReq.signal });
      return { content: [{ type: 'text', text: `done ${label}` }] };
    });
  }
  return server;
});

/** One write of less than a page: lines of several servers never mix. */
function writeDown(line) {
  writeSync(trace, `${JSON.stringify(line)}\n`);
  fsyncSync(trace);
}
