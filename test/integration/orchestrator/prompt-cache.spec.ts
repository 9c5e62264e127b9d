import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { newMessage, type Turn } from '#contracts';
import { DemoModel } from '#demo-model';
import { createModel, type ModelPart } from '#llm';
import { defineTool, defineToolset } from '#tools';
import { SystemClock, systemTime } from '#time';
import { pngOf } from '../../../libs/tools/testing/pictures.js';
import { say, useTools, type ScriptedReply } from '../../fakes/messages-reply.js';
import { PromptCache } from '../../fakes/prompt-cache.js';
import { startStrictMessagesApi, type StrictMessagesApi } from '../../fakes/strict-messages-api.js';
import { waitFor } from '../../services/wait-for.js';
import { FleetHarness, scriptedModel, USAGE } from './fleet-harness.js';

const clock = new SystemClock();
const SYSTEM = 'Be brief, and look before you answer. '.repeat(2_000);
/** As many and as long as those of a few servers. */
const documented = Array.from({ length: 24 }, (_, i) =>
  defineTool({
    name: `read_${i}`,
    description: `Reads shelf ${i}. ${'What is on it is told in the order in which it stands there. '.repeat(8)}`,
    input: z.strictObject({ query: z.string().optional().describe('What to look for.') }),
    class: 'read',
    timeoutMs: 5_000,
    run: async ({ query }) => `Nothing about ${query ?? 'anything'}.`,
  }),
);
let pictures = 0;
const camera = defineTool({
  name: 'look',
  description: 'Takes a picture.',
  input: z.strictObject({ at: z.string() }),
  class: 'read',
  timeoutMs: 5_000,
  run: async ({ at }, { attach }) => {
    await attach({ content: pngOf(++pictures, 1), contentType: 'image/png' });
    return `A picture of ${at}.`;
  },
});
const hosts = () => [
  defineToolset({ name: 'shelf', version: '1.0.0', tools: documented }),
  defineToolset({ name: 'camera', version: '1.0.0', tools: [camera] }),
];

let fleet: FleetHarness;
let api: StrictMessagesApi;
let replies: ScriptedReply[];
beforeEach(async () => {
  replies = [];
  api = await startStrictMessagesApi({ script: () => replies.shift() ?? say('Done.') });
  fleet = await FleetHarness.open();
  await fleet.startWorker(hosts());
});
afterEach(async () => {
  await fleet.close();
  await api.close();
});

async function startOrchestrator() {
  const name = 'anthropic/claude-sonnet-5-5';
  const env = { MODEL: name, ANTHROPIC_API_KEY: 'sk-ant-test', ANTHROPIC_BASE_URL: api.url };
  return fleet.startOrchestrator(createModel(env, { clock, demo: new DemoModel(clock) }), {
    model: name,
    systemPrompt: SYSTEM,
  });
}

async function ask(
  content: string,
  after: Turn | undefined,
  options: Turn['options'],
  ...answers: ScriptedReply[]
): Promise<Turn> {
  replies.push(...answers);
  const turn = await fleet.submit(content, { options, ...(after ? { after } : {}) });
  await waitFor(() => fleet.of(turn, 'complete')[0] ?? fleet.of(turn, 'error')[0], { what: content });
  return turn;
}

/** Of every request but the first one: which part of it was in the cache. */
function sharesInCache(): number[] {
  const cache = new PromptCache();
  const shares = api.requests.map(({ body }) => cache.read(body)).map(({ cached, total }) => cached / total);
  return shares.slice(1);
}

describe('the provider’s prompt cache', () => {
  it('contains 95 % of every request but the first, across steps and turns, for every kind of end', async () => {
    const { bus } = await startOrchestrator();
    const thinking = { type: 'thinking' as const, chunks: ['hm'], signature: 'signed' };
    const shelf = (n: number) => {
      const numbers = Array.from({ length: n }, (_, i) => i);
      return useTools(
        ...numbers.map((i): [string, string, Record<string, unknown>] => [
          `toolu_${i}`,
          `shelf__read_${i}`,
          {},
        ]),
      );
    };
    let turn = await ask(
      'one',
      undefined,
      {},
      { content: [thinking, ...shelf(2).content] },
      shelf(1),
      say('One.'),
    );
    turn = await ask('two', turn, {}, say('Two.'));
    turn = await ask('many at once', turn, {}, shelf(16), say('None.'));
    turn = await ask('refused', turn, {}, shelf(1), { status: 400, message: 'no' });
    turn = await ask('after it', turn, {}, shelf(1), say('Well.'));
    const held = {
      content: [
        { type: 'text' as const, chunks: ['Hm'] },
        { type: 'hold' as const, until: new Promise(() => undefined) },
      ],
    };
    replies.push(shelf(1), held);
    turn = await fleet.submit('stopped', { after: turn });
    await waitFor(() => fleet.of(turn, 'token').length > 0, { what: 'text' });
    const [claim] = await fleet.store.listClaims(turn._id);
    await bus.send(
      claim!.owner.replace('-', '.'),
      newMessage(systemTime(), 'turn.stop', { turn_id: turn._id, request_id: 'r', reply_to: 'gateway.1' }),
    );
    await fleet.event(turn, 'cancelled');
    turn = await ask('go on', turn, {}, shelf(2), say('At last.'));
    expect(api.violations).toEqual([]);
    const shares = sharesInCache();
    expect(shares).toHaveLength(13);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.95);
  });

  it('contains tools and system prompt of a forced answer, and all the rest again in the next turn', async () => {
    await startOrchestrator();
    const look = useTools(['toolu_1', 'shelf__read_1', { query: 'x' }]);
    const answer = useTools(['toolu_f', 'response_formatter', { conversation: 'Nothing.' }]);
    const first = await ask('one', undefined, { formatter: true }, look, say('Nothing.'), answer);
    await ask('two', first, { formatter: true }, say('Still nothing.'), answer);
    expect(api.violations).toEqual([]);
    const bodies = api.requests.map(({ body }) => body);
    expect(bodies.map(({ tool_choice }) => (tool_choice as { name?: string } | undefined)?.name)).toEqual([
      undefined,
      undefined,
      'response_formatter',
      undefined,
      'response_formatter',
    ]);
    expect(new Set(bodies.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
    const shares = sharesInCache();
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.95);
  });

  it('survives that pictures are no longer shown, except a few times', async () => {
    await startOrchestrator();
    let turn: Turn | undefined;
    for (let round = 0; round < 14; round++) {
      const look = (i: number): [string, string, { at: string }] => [
        `toolu_${i}`,
        'camera__look',
        { at: `${round}.${i}` },
      ];
      turn = await ask(`look ${round}`, turn, {}, useTools(look(1), look(2), look(3)), say('Seen.'));
    }
    expect(api.violations).toEqual([]);
    const shown = api.requests.map(({ rawBody }) => rawBody.split('"type":"image"').length - 1);
    expect(Math.max(...shown)).toBe(20);
    expect(shown.at(-1)).toBeGreaterThanOrEqual(10);
    const shares = sharesInCache();
    expect(shares).toHaveLength(27);
    expect(shares.filter((share) => share < 0.95).length).toBeLessThanOrEqual(3);
  });
});

describe('the messages of a request', () => {
  it('are a strict prefix of the next one’s, across steps and turns', async () => {
    const model = scriptedModel((_request, index): ModelPart[] => {
      const end = { type: 'end' as const, usage: USAGE };
      const call: ModelPart = {
        type: 'tool_call',
        name: 'shelf__read_1',
        arguments: { query: `${index}` },
        raw: '',
      };
      if (index % 3 < 2) return [call, { ...end, stop_reason: 'tool_use' }];
      return [
        { type: 'text', text: `Answer ${index}.` },
        { ...end, stop_reason: 'end_turn' },
      ];
    });
    await fleet.startOrchestrator(model, { systemPrompt: SYSTEM });
    let turn: Turn | undefined;
    for (const content of ['one', 'two', 'three']) {
      turn = await fleet.submit(content, turn ? { after: turn } : {});
      await fleet.event(turn, 'complete');
    }
    expect(model.requests).toHaveLength(9);
    for (const [i, request] of model.requests.entries()) {
      const next = model.requests[i + 1];
      if (!next) break;
      expect(next.messages.length).toBeGreaterThan(request.messages.length);
      expect(JSON.stringify(next.messages.slice(0, request.messages.length))).toBe(
        JSON.stringify(request.messages),
      );
      expect([next.system, next.tools]).toEqual([request.system, request.tools]);
    }
  });
});
