import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { io } from 'socket.io-client';
import type { Attack } from './attack.js';
import { startTarget, type Target } from './target.js';

const ALLOWED = 'openai/small-and-cheap';
const EXPENSIVE = 'openai/o9-very-expensive';
const TOKENS_OF_A_CALL = 1_000;
const BUDGET = 2_500;
const TURNS = 10;

/** Nobody spends the operator's money on other models, or more of it than a budget allows. */
export const models: Attack = {
  name: 'models',
  says: 'a user names the most expensive model on every way in, then spends a budget by ten turns at once',
  async run() {
    const provider = await startProvider();
    const target = await startTarget({
      env: { MODEL: ALLOWED, OPENAI_BASE_URL: provider.url },
      settings: { usage: { tokens_per_user_per_day: BUDGET } },
    });
    try {
      const token = await target.register('ann');
      const accepted = await nameExpensive(target, token);
      const expensive = provider.asked.filter((model) => model !== 'small-and-cheap').length;
      await spend(target, token);
      const used = await tokensToday(target, token);
      const calls = provider.asked.length;
      return [
        { what: 'expensive model accepted', figure: accepted, unit: 'count', goal: { atMost: 0 } },
        { what: 'requests for it at the provider', figure: expensive, unit: 'count', goal: { atMost: 0 } },
        {
          what: `calls of ${TOKENS_OF_A_CALL} tokens within a budget of ${BUDGET}, by ${TURNS} turns at once`,
          figure: calls,
          unit: 'count',
          goal: { atMost: Math.ceil(BUDGET / TOKENS_OF_A_CALL) },
        },
        {
          what: 'tokens counted for the provider’s answers',
          figure: used,
          unit: 'count',
          goal: { atLeast: calls * TOKENS_OF_A_CALL },
        },
      ];
    } finally {
      await target.stop();
      await provider.close();
    }
  },
};

/** A server that speaks Chat Completions, and counts. */
async function startProvider() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push((JSON.parse(body) as { model: string }).model);
      const usage = {
        prompt_tokens: TOKENS_OF_A_CALL - 1,
        completion_tokens: 1,
        total_tokens: TOKENS_OF_A_CALL,
      };
      const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'small-and-cheap' };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (data: object) => response.write(`data: ${JSON.stringify({ ...chunk, ...data })}\n\n`);
      send({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi.' }, finish_reason: null }] });
      send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
      send({ choices: [], usage });
      response.end('data: [DONE]\n\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function sender(target: Target, token: string) {
  return async (method: string, path: string, body: object) => {
    const response = await fetch(target.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { ok: response.ok, text };
  };
}

/** How many ways in took it. */
async function nameExpensive(target: Target, token: string): Promise<number> {
  const send = sender(target, token);
  const { id } = JSON.parse((await send('POST', '/api/conversations', {})).text) as { id: string };
  const turn = { content: 'hi', options: { model: EXPENSIVE, max_output_tokens: 200_000, system: 'Spend.' } };
  const messages = [{ role: 'user', content: 'hi' }];
  const answers = await Promise.all([
    send('POST', `/api/conversations/${id}/turns`, turn),
    send('PATCH', `/api/conversations/${id}`, { model: EXPENSIVE }),
    send('POST', '/api/conversations', { model: EXPENSIVE }),
    send('POST', '/v1/chat/completions', { model: EXPENSIVE, messages }),
  ]);
  const overSocket = await sendOverSocket(target, token, turn);
  return answers.filter(({ ok }) => ok).length + (overSocket ? 1 : 0);
}

async function sendOverSocket(target: Target, token: string, turn: object): Promise<boolean> {
  const socket = io(target.url, { transports: ['websocket'], auth: { token }, forceNew: true });
  try {
    const answer = (await socket.timeout(20_000).emitWithAck('message', turn)) as { error?: object };
    return answer.error === undefined;
  } finally {
    socket.close();
  }
}

/** Ten turns at once, each in a conversation of its own; resolves when they have ended. */
async function spend(target: Target, token: string): Promise<void> {
  const send = sender(target, token);
  const messages = [{ role: 'user', content: 'hi' }];
  await Promise.all(
    Array.from({ length: TURNS }, () =>
      send('POST', '/v1/chat/completions', { model: 'switchyard', messages }),
    ),
  );
}

/** Counted a moment after a turn has ended: read until it stands still. */
async function tokensToday(target: Target, token: string): Promise<number> {
  let last = -1;
  for (;;) {
    const response = await fetch(`${target.url}/api/usage`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { today } = (await response.json()) as { today: { input_tokens: number; output_tokens: number } };
    const tokens = today.input_tokens + today.output_tokens;
    if (tokens === last) return tokens;
    last = tokens;
    await delay(300);
  }
}
