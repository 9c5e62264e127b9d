/* An MCP server over stdio (spec 2026-07-28 and older) whose tools do what the tests ask for. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: value }] });

serveStdio(() => {
  const server = new McpServer(
    { name: 'scripted', version: '3.2.1' },
    { capabilities: { tools: { listChanged: true } } },
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
        await new Promise((resolve) => setTimeout(resolve, stepMs));
        const params = { progressToken, progress: step, total: steps, message: `step ${step}` };
        if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
      }
      return text('waited');
    },
  );
  return server;
});
