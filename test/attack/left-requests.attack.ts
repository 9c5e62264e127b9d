import type { Attack } from './attack.js';
import { startTarget, type Target } from './target.js';

const LEFT = 300;
const LEFT_SHORT = 60;
const AT_ONCE = 30;
/** More than a snapshot shows. */
const TURNS = 23;
const PATIENCE_MS = 150;

/** What a request holds must end with it. */
export const leftRequests: Attack = {
  name: 'left-requests',
  says: 'a user asks /mcp for the rest of an old call hundreds of times, and never waits for an answer',
  async run({ isShort }) {
    const target = await startTarget();
    const all = isShort ? LEFT_SHORT : LEFT;
    try {
      const headers = { authorization: `Bearer ${await target.register('ann')}` };
      const { conversation, oldTurn } = await talk(target, headers);
      for (let left = 0; left < all; left += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, () => askAndLeave(target, headers, oldTurn)));
      const before = await figure(target, 'switchyard_events_relayed_total');
      await say(target, headers, conversation);
      const relayed = (await figure(target, 'switchyard_events_relayed_total')) - before;
      return [
        {
          what: `viewers after ${all} requests that were left`,
          figure: await figure(target, 'switchyard_viewers'),
          unit: 'count',
          goal: { atMost: 0 },
        },
        {
          what: 'events of one turn relayed to nobody',
          figure: relayed,
          unit: 'count',
          goal: { atMost: 0 },
        },
      ];
    } finally {
      await target.stop();
    }
  },
};

type Headers = Record<string, string>;

async function talk(target: Target, headers: Headers) {
  const made = await post(target, headers, '/api/conversations', {});
  const conversation = ((await made.json()) as { id: string }).id;
  const oldTurn = await say(target, headers, conversation);
  for (let turn = 1; turn < TURNS; turn++) await say(target, headers, conversation);
  return { conversation, oldTurn };
}

/** A message, once it has been answered. */
async function say(target: Target, headers: Headers, conversation: string): Promise<string> {
  const path = `/api/conversations/${conversation}/turns`;
  const accepted = await post(target, headers, path, { content: 'hello' });
  const { turn_id } = (await accepted.json()) as { turn_id: string };
  for (;;) {
    const answer = await fetch(`${target.url}${path}?limit=1`, { headers });
    const { turns } = (await answer.json()) as { turns: { turn_id: string; status: string }[] };
    if (turns[0]?.turn_id === turn_id && turns[0].status === 'completed') return turn_id;
  }
}

async function askAndLeave(target: Target, headers: Headers, turn_id: string): Promise<void> {
  const requestState = JSON.stringify({ turn_id, tool_call_id: `call_${'A'.repeat(22)}`, asks: 'approval' });
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'attack', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const params = { name: 'math__add', arguments: { a: 1, b: 2 }, requestState, _meta: envelope };
  const mcp = {
    ...headers,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'math__add',
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const answer = await post(target, mcp, '/mcp', body, AbortSignal.timeout(PATIENCE_MS)).catch(
    () => undefined,
  );
  await answer?.arrayBuffer().catch(() => undefined);
}

function post(
  { url }: Target,
  headers: Headers,
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<Response> {
  const all = { ...headers, 'content-type': 'application/json' };
  return fetch(url + path, { method: 'POST', headers: all, body: JSON.stringify(body), signal });
}

/** 0 for a metric that there is not. */
async function figure({ url }: Target, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}
