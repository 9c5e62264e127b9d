/* An MCP server (spec 2026-07-28 and older) whose tools do what the tests ask for. */
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: value }] });

const ONE_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
let inHand = 0;
let most = 0;
let letGo = () => undefined;

export function scriptedServer() {
  const ttlMs = Number(process.env.LIST_TTL_MS ?? 0);
  const server = new McpServer(
    { name: 'scripted', version: '3.2.1' },
    { capabilities: { tools: { listChanged: true }, logging: {} }, cacheHints: { 'tools/list': { ttlMs } } },
  );
  const tool = (name, config, run) => server.registerTool(name, { description: name, ...config }, run);

  tool(
    'get-weather',
    { inputSchema: z.object({ city: z.string() }), annotations: { readOnlyHint: true } },
    ({ city }) => text(`get-weather ${city}`),
  );
  tool('set', { annotations: { idempotentHint: true } }, () => text('set'));
  tool('environment', {}, () => text(JSON.stringify(process.env)));
  tool('meta', {}, ({ mcpReq }) => text(JSON.stringify(mcpReq._meta)));
  tool('fail', {}, () => ({ ...text('it rains'), isError: true }));
  tool('die', {}, () => process.exit(1));
  tool('complain', {}, () => {
    process.stderr.write('first\u001b[31m red\nsecond');
    process.stderr.write(' line\n');
    return text('complained');
  });
  tool('grow', {}, () => {
    tool('grown', {}, () => text('grown'));
    return text('growing');
  });
  tool(
    'wait',
    { inputSchema: z.object({ steps: z.int(), stepMs: z.int() }) },
    async ({ steps, stepMs }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      mcpReq.signal.addEventListener('abort', () => process.stderr.write('cancelled\n'));
      for (let step = 1; step <= steps; step++) {
        // The end of the session is the end of the process, whatever it waits for.
        await new Promise((resolve) => setTimeout(resolve, stepMs).unref());
        const params = { progressToken, progress: step, total: steps, message: `step ${step}` };
        if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
      }
      return text('waited');
    },
  );
  // Says that it has begun, and ends when `let-go` is called.
  tool('hold', {}, async ({ mcpReq }) => {
    const gone = new Promise((resolve) => (letGo = resolve));
    const params = { progressToken: mcpReq._meta?.progressToken, progress: 1, total: 4, message: 'step 1' };
    await mcpReq.notify({ method: 'notifications/progress', params });
    await gone;
    return text('let go');
  });
  tool('let-go', {}, () => {
    letGo();
    return text('done');
  });
  tool('talk', {}, async ({ mcpReq }) => {
    await mcpReq.log('warning', { said: 'hello \u001b[31mred' });
    return text('talked');
  });
  tool('cite', {}, () => ({
    content: [
      { type: 'text', text: 'cited' },
      { type: 'image', mimeType: 'image/png', data: ONE_PIXEL },
    ],
    bibliography: [{ pmid: '1', title: 'One' }],
  }));
  tool('sample', {}, () =>
    inputRequired({
      inputRequests: {
        model: inputRequired.createMessage({ messages: [], maxTokens: 10 }),
      },
    }),
  );
  tool('most-at-once', { inputSchema: z.object({ holdMs: z.int() }) }, async ({ holdMs }) => {
    most = Math.max(most, ++inHand);
    await new Promise((resolve) => setTimeout(resolve, holdMs));
    inHand--;
    return text(String(most));
  });
  tool('process', {}, () => text(String(process.pid)));
  tool('huge', { inputSchema: z.object({ bytes: z.int() }) }, ({ bytes }) => text('x'.repeat(bytes)));
  return server;
}
