import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Asking, Read } from './dialect-readers.js';
import { spreadOf, type Row } from './measure.js';

const ROUNDS = 5;
/** Turns at once, and the tokens of each. */
const LOADS: [turns: number, tokens: number][] = [
  [1, 4_000],
  [10, 1_000],
];
const WARM_UP_TOKENS = 200;
const messages = [{ id: 'm', role: 'user', content: 'hello' }];

type Dialect = Pick<Asking, 'body'> & { path: string; transport?: 'http' | 'ws'; needsConversation?: true };

const DIALECTS: Record<string, Dialect> = {
  openai: { path: '/v1/chat/completions', body: { model: 'switchyard', stream: true, messages } },
  'ag-ui': { path: '/ag-ui', body: { threadId: '#', runId: '#', messages } },
  'chat-artifacts-ndjson': {
    path: '/api/chat-artifacts',
    body: { message: 'hello', conversationId: '#' },
  },
  'mcp-chat-sse': { path: '/chat/stream', body: { message: 'hello' } },
  'genesis-chat': {
    path: '/ws/chat',
    body: { type: 'message', conversation_id: '#', content: 'hello' },
    ...{ transport: 'ws', needsConversation: true },
  },
};

interface Side {
  server: ChildProcess;
  readers: ChildProcess;
  port: number;
}

/** Tokens a second that a turn is told by each dialect, against a bare server that writes as many bytes, a part for each token. */
export async function benchDialects(): Promise<Row[]> {
  const rows: Row[] = [];
  const ours = await startSide('dialect-server.ts');
  const raw = await startSide('raw-stream-server.ts');
  for (const [name, dialect] of Object.entries(DIALECTS))
    for (const [turns, tokens] of LOADS)
      rows.push(await compare({ ours, raw, name, dialect, turns, tokens }));
  for (const { server, readers } of [ours, raw]) for (const child of [server, readers]) child.kill();
  return rows;
}

async function compare(load: {
  ours: Side;
  raw: Side;
  name: string;
  dialect: Dialect;
  turns: number;
  tokens: number;
}): Promise<Row> {
  const { ours, raw, name, dialect, turns, tokens } = load;
  const relay = (count: number) => measure(ours, dialect, turns, { tokens: count });
  const write = (count: number, { bytes }: Read) => measure(raw, dialect, turns, { tokens: count, bytes });
  await write(WARM_UP_TOKENS, await relay(WARM_UP_TOKENS));
  const rates = { ours: [] as number[], raw: [] as number[] };
  const rateOf = ({ ms }: Read) => (turns * tokens * 1000) / ms;
  for (let round = 0; round < ROUNDS; round++) {
    const read = await relay(tokens);
    rates.ours.push(rateOf(read));
    rates.raw.push(rateOf(await write(tokens, read)));
  }
  const [mine, limit] = [spreadOf(rates.ours), spreadOf(rates.raw)];
  return {
    name: `tokens told by ${name}, ${turns} turn${turns === 1 ? '' : 's'} at once`,
    unit: 'events/s',
    ...mine,
    raw: { p50: limit.p50, p99: limit.p99, max: limit.max },
    ratio: { p50: mine.p50 / limit.p50, p99: mine.p99 / limit.p99 },
  };
}

async function startSide(file: string): Promise<Side> {
  const start = (name: string) => {
    const child = fork(fileURLToPath(new URL(name, import.meta.url)));
    return child.once('exit', (code) => {
      if (code) throw new Error(`${name} ended with ${code}`);
    });
  };
  const [server, readers] = [start(file), start('dialect-readers.ts')];
  const [{ port }] = (await once(server, 'message')) as [{ port: number }];
  return { server, readers, port };
}

/** Everybody has asked before the first token is sent. */
async function measure(
  { server, readers, port }: Side,
  { path, body, transport = 'http', needsConversation }: Dialect,
  turns: number,
  played: object,
): Promise<Read> {
  const isOurs = !('bytes' in played);
  const create = isOurs && needsConversation ? { create: `http://127.0.0.1:${port}/api/conversations` } : {};
  readers.send({ url: `${transport}://127.0.0.1:${port}${path}`, body, turns, ...create } satisfies Asking);
  await once(readers, 'message');
  server.send({ turns, ...played });
  await once(server, 'message');
  readers.send('begin');
  const [read] = (await once(readers, 'message')) as [Read];
  return read;
}
