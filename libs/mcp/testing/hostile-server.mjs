/*
 * An MCP server over stdio (2025-06-18, no SDK) that does harm. `LIST=never`: it never answers a listing.
 * `LIST=changing`: every listing differs, and reports the next change at once. `LIST=overtaken`: it reports one more tool before
 * it answers the first listing, which lacks that tool.
 */
import { createInterface } from 'node:readline';

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const object = { type: 'object' };
let listings = 0;
let asked;

const calls = {
  crash: () => process.exit(1),
  hang: () => undefined,
  huge: (id) => write({ id, result: text('x'.repeat(25 * 1024 * 1024)) }),
  garbage: (id) => {
    process.stdout.write('this is not JSON\n{"jsonrpc": "2.0", "id":\n[]\nnull\n{"id":{}}\n');
    write({ id: 'never asked', result: {} });
    write({ id, result: text('after the garbage') });
  },
  wrong: (id) => write({ id, result: { content: 'no list' } }),
  // Asks for the client's model, and returns the error that it got.
  sample: (id) => {
    asked = id;
    const params = { messages: [], maxTokens: 1 };
    write({ id: 'sample', method: 'sampling/createMessage', params });
  },
  chatter: (id) => {
    const params = { level: 'error', data: 'so it goes' };
    for (let i = 0; i < 3_000; i++) {
      process.stderr.write(`line ${i}\n`);
      write({ method: 'notifications/message', params });
    }
    write({ id, result: text('said') });
  },
  change: (id) => {
    write({ method: 'notifications/tools/list_changed' });
    write({ id, result: text('changed') });
  },
  listings: (id) => write({ id, result: text(String(listings)) }),
};

function listing() {
  listings++;
  const properties = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`property_${index}`, { type: 'string' }]),
  );
  return [
    ...Object.keys(calls).map((name) => ({ name, inputSchema: object })),
    { name: 'same', description: 'first', inputSchema: object },
    { name: 'same', description: 'second', inputSchema: object },
    { name: 'Same', inputSchema: object },
    { name: 'same!', inputSchema: object },
    { name: 'bloated', inputSchema: { ...object, properties } },
    ...(process.env.LIST === 'changing' ? [{ name: `version_${listings}`, inputSchema: object }] : []),
    ...(process.env.LIST === 'overtaken' && listings > 1 ? [{ name: 'late', inputSchema: object }] : []),
  ];
}

const answers = {
  initialize: (id) =>
    write({
      id,
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'hostile', version: '6.6.6' },
      },
    }),
  'tools/list': (id) => {
    const { LIST } = process.env;
    if (LIST === 'never') return;
    const tools = listing();
    const answer = () => write({ id, result: { tools } });
    const sayChanged = () => write({ method: 'notifications/tools/list_changed' });
    if (LIST === 'overtaken' && listings === 1) {
      sayChanged();
      // Long enough for the client to have acted on it.
      setTimeout(answer, 1_000);
      return;
    }
    answer();
    if (LIST === 'changing') sayChanged();
  },
  'tools/call': (id, { name }) => calls[name]?.(id),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, error } = JSON.parse(line);
  if (id === undefined) return;
  if (id === 'sample') return write({ id: asked, result: text(JSON.stringify(error)) });
  if (answers[method]) answers[method](id, params);
  else write({ id, error: { code: -32601, message: 'Method not found' } });
});
process.stdin.on('end', () => process.exit(0));
