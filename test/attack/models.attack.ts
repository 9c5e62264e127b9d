import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { io } from 'socket.io-client';
import { Viewer } from '../e2e/viewer.js';
import { waitFor } from '../services/wait-for.js';
import type { Attack } from './attack.js';
import { startTarget, type Target } from './target.js';

const ALLOWED = 'openai/small-and-cheap';
const EXPENSIVE = 'openai/o9-very-expensive';
const TOKENS_OF_A_CALL = 1_000;
const BUDGET = 2_500;
const TURNS = 10;
/** Answered with words that never end: 1,500 characters, which are estimated as 500 tokens. */
const ENDLESS = 'talk on';
const WORDS = 'word '.repeat(300);
const TOKENS_OF_WORDS = 500;
const MAX_STOPS = 20;

/** Nobody spends the operator's money on other models, or more of it than a budget allows. */
export const models: Attack = {
  name: 'models',
  says: 'a user names the most expensive model on every way in, then spends a budget by ten turns at once, and by answers that are stopped',
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
      const ben = await target.register('ben');
      const stops = await stopAgainAndAgain(target, ben);
      const usedByStops = await tokensToday(target, ben);
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
        {
          what: `answers stopped after ${TOKENS_OF_WORDS} tokens within a budget of ${BUDGET}`,
          figure: stops,
          unit: 'count',
          goal: { atMost: Math.ceil(BUDGET / TOKENS_OF_WORDS) },
        },
        {
          what: 'tokens counted for the stopped answers',
          figure: usedByStops,
          unit: 'count',
          goal: { atLeast: BUDGET },
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
      const { model, messages } = JSON.parse(body) as { model: string; messages: { content: unknown }[] };
      asked.push(model);
      const isEndless = JSON.stringify(messages.at(-1)?.content).includes(ENDLESS);
      const usage = {
        prompt_tokens: TOKENS_OF_A_CALL - 1,
        completion_tokens: 1,
        total_tokens: TOKENS_OF_A_CALL,
      };
      const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'small-and-cheap' };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (data: object) => response.write(`data: ${JSON.stringify({ ...chunk, ...data })}\n\n`);
      const content = isEndless ? WORDS : 'Hi.';
      send({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] });
      if (isEndless) return;
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

/** How many answers one user gets who stops each of them after its first words. */
async function stopAgainAndAgain(target: Target, token: string): Promise<number> {
  const viewer = await Viewer.connect(target.url, { token });
  try {
    for (let stops = 0; stops < MAX_STOPS; stops++) {
      const sent = await viewer.request('message', { content: ENDLESS });
      if ('error' in sent) return stops;
      const { conversation_id, turn_id } = sent as { conversation_id: string; turn_id: string };
      const turn = () => viewer.turn(conversation_id, turn_id);
      await waitFor(() => turn()?.status === 'failed' || viewer.text(conversation_id, turn_id) !== '', {
        what: 'the first words, or a refusal',
      });
      if (turn()?.status === 'failed') return stops;
      await viewer.request('stop', { turn_id });
      await viewer.ended(conversation_id, turn_id);
    }
    return MAX_STOPS;
  } finally {
    viewer.close();
  }
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
