import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import type { FakeGateway } from './fake-gateway.js';

export interface FakeSummary {
  id: string;
  user_id: string;
  title: string;
  created_at: string;
  updated_at: string;
  status?: string;
  opening?: string;
  model?: string;
}

export interface FakeUsage {
  /** The day that the gateway says it is. */
  today: string;
  used: { day: string; model: string; input_tokens: number; output_tokens: number; cost: number }[];
  budget?: object;
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The page with the policy that the real gateway sends, and the routes that the page uses. */
export async function answerHttp(
  gateway: FakeGateway,
  pageDirectory: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', gateway.url);
  if (!pathname.startsWith('/api/')) return answerFile(join(pageDirectory, pathname), response);
  const isKnown = gateway.token === undefined || request.headers.authorization === `Bearer ${gateway.token}`;
  if (!isKnown) return answerJson(response, 401, { detail: 'Sign in first.' });
  const answer = answers[pathname]?.(gateway, searchParams);
  if (answer) return answerJson(response, 200, answer);
  const [id, part, callId] = pathname.split('/').slice(3);
  if (pathname.startsWith('/api/turns/')) {
    if (part === 'waiting') return answerJson(response, 200, { waiting: gateway.waiting });
    const uncut = gateway.uncutCalls.get(callId ?? '');
    return uncut ? answerJson(response, 200, uncut) : answerJson(response, 404, { detail: 'No such call.' });
  }
  if (id === undefined) return answerJson(response, 200, listSummaries(gateway));
  const conversation = gateway.conversations.get(id);
  if (!conversation) return answerJson(response, 404, { detail: 'No such conversation.' });
  if (part === 'turns') {
    const before = Number(searchParams.get('before'));
    const turns = conversation.older.filter((turn) => turn.number < before).slice(-20);
    return answerJson(response, 200, { turns, earlier: (turns[0]?.number ?? 1) > 1 });
  }
  if (request.method === 'DELETE') {
    gateway.conversations.delete(id);
    response.writeHead(204).end();
    return;
  }
  if (request.method === 'PATCH')
    conversation.summary.title = (await readJson<{ title: string }>(request)).title;
  answerJson(response, 200, conversation.summary);
}

const answers: Record<string, (gateway: FakeGateway, asked: URLSearchParams) => object> = {
  '/api/me': () => ({ id: 'local', is_operator: false }),
  '/api/models': ({ defaultModel }) => ({ default: defaultModel, allowed: ['demo'] }),
  '/api/tools': () => ({ tools }),
  '/api/usage': sumUsage,
  '/api/connections': () => ({ connections: [] }),
};

/** By model, of all days or those asked for, as the real gateway sums them. */
function sumUsage({ usage: { today, used, budget } }: FakeGateway, asked: URLSearchParams) {
  const [from, to] = [asked.get('from') ?? '', asked.get('to') ?? today];
  const total = { input_tokens: 0, output_tokens: 0, cost: 0 };
  const rows = new Map<string, typeof total & { model: string }>();
  for (const { day, model, ...sums } of used) {
    if (day < from || day > to) continue;
    const row = rows.get(model) ?? { model, input_tokens: 0, output_tokens: 0, cost: 0 };
    rows.set(model, row);
    for (const sum of [row, total]) {
      sum.input_tokens += sums.input_tokens;
      sum.output_tokens += sums.output_tokens;
      sum.cost += sums.cost;
    }
  }
  return { from, to, total, rows: [...rows.values()], budget };
}

function listSummaries(gateway: FakeGateway): FakeSummary[] {
  const summaries = [...gateway.conversations.values()].map(({ summary }) => summary);
  return summaries.sort((a, b) => b.updated_at.localeCompare(a.updated_at));
}

async function answerFile(path: string, response: ServerResponse): Promise<void> {
  const file = path.endsWith('/') ? `${path}index.html` : path;
  try {
    const content = await readFile(file);
    response.writeHead(200, {
      'content-type': contentTypes[extname(file)] ?? 'application/octet-stream',
      'content-security-policy': "default-src 'self'; img-src 'self' data: blob:",
    });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
}

function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readJson<T>(request: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as T;
}

const tool = (toolset: string, name: string, toolClass: string, source: 'local' | 'mcp' = 'local') => ({
  name: source === 'mcp' ? `mcp:${toolset}:${name}` : name,
  description: `${name} of ${toolset}`,
  source,
  parameters: [],
  toolset,
  qualified_name: `${toolset}.${name}`,
  input_schema: { type: 'object' },
  class: toolClass,
});

const tools = [
  tool('math', 'add', 'read'),
  tool('math', 'multiply', 'read'),
  tool('knowledge', 'rag_search', 'read'),
  tool('filesystem', 'read_file', 'read'),
  tool('filesystem', 'write_file', 'idempotent'),
  tool('orders', 'search', 'read', 'mcp'),
  tool('orders', 'refund', 'once', 'mcp'),
];
