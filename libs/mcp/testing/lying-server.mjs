/* An MCP server over stdio whose results break the output schema that it has promised. */
import { createInterface } from 'node:readline';

const outputSchema = {
  type: 'object',
  properties: { temperature: { type: 'number' } },
  required: ['temperature'],
};
const inputSchema = { type: 'object' };
const content = [{ type: 'text', text: 'cold' }];
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'lying', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: [
      { name: 'weather', inputSchema, outputSchema },
      { name: 'silent', inputSchema, outputSchema },
    ],
  }),
  'tools/call': ({ name }) =>
    name === 'weather' ? { content, structuredContent: { temperature: 'cold' } } : { content },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = ANSWERS[method]?.(params);
  const end = answer ? { result: answer } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...end })}\n`);
});
