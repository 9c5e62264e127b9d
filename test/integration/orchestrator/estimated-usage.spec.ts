import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newMessage, type Turn } from '#contracts';
import { stepRow } from '#journal';
import { DemoModel } from '#demo-model';
import { createModel } from '#llm';
import { systemTime } from '#time';
import { dayOf } from '#turn';
import { SystemClock } from '#time';
import { toEvent } from '../../fakes/chat-reply.js';
import { startStrictChatApi, type StrictChatApi } from '../../fakes/strict-chat-api.js';
import { waitFor } from '../../services/wait-for.js';
import { FleetHarness } from './fleet-harness.js';

/** 300 characters, 100 tokens as they are estimated; the question is about 15. */
const WORDS = 'word '.repeat(60);
const FIRST_WORDS = toEvent({
  id: 'chatcmpl-fake',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'fake',
  choices: [{ index: 0, delta: { role: 'assistant', content: WORDS }, finish_reason: null }],
  usage: null,
});
const clock = new SystemClock();
const BUDGET = 500;
const settings = {
  model: 'openai/gpt-4o',
  maxOutputTokens: 200,
  usage: { budget: { tokens: BUDGET }, keepDays: 400 },
};

let fleet: FleetHarness;
let api: StrictChatApi | undefined;
beforeEach(async () => {
  fleet = await FleetHarness.open();
});
afterEach(async () => {
  await fleet.close();
  await api?.close();
  api = undefined;
});

/** Chat Completions of a provider that says its first words and then nothing, least of all what it counted. */
async function startSlowProvider(then: 'cut' | Promise<unknown>) {
  api = await startStrictChatApi({ service: 'openai', script: () => ({ raw: FIRST_WORDS, then }) });
  const env = { MODEL: settings.model, OPENAI_API_KEY: 'key', OPENAI_BASE_URL: api.baseUrl };
  return createModel(env, { clock, demo: new DemoModel(clock) });
}

async function stop({ _id: turn_id }: Turn): Promise<void> {
  const [claim] = await fleet.store.listClaims(turn_id);
  const bus = await fleet.gateway();
  const body = { turn_id, request_id: 'r', reply_to: 'gateway.1' };
  await bus.send(claim!.owner.replace('-', '.'), newMessage(systemTime(), 'turn.stop', body));
}

async function rows() {
  const from = dayOf(Date.now());
  return fleet.store.sumUsage({ user_id: 'ann', from, to: '9999-12-31', by: ['model'], limit: 10 });
}
const outputTokens = async () => (await rows()).reduce((all, { output_tokens }) => all + output_tokens, 0);
const never = new Promise<void>(() => undefined);

describe('a provider that reports usage only at the end of an answer', () => {
  it('is charged to the budget of a user who stops every answer after its first words', async () => {
    await fleet.startOrchestrator(await startSlowProvider(never), settings);
    let stops = 0;
    for (let after: Turn | undefined; ;) {
      const turn = await fleet.submit('go', after ? { after } : {});
      const next = await waitFor(() => fleet.of(turn, 'token')[0] ?? fleet.of(turn, 'error')[0], {
        what: 'words or a refusal',
      });
      if (next.type === 'error') {
        expect(next.code).toBe('budget_exceeded');
        break;
      }
      await stop(turn);
      await fleet.event(turn, 'cancelled');
      after = turn;
      expect(++stops).toBeLessThanOrEqual(BUDGET / 100);
    }
    expect(api!.requests).toHaveLength(stops);
    const [sum] = await rows();
    expect(sum).toMatchObject({ model: settings.model, output_tokens: stops * 100 });
    expect(sum!.input_tokens).toBeGreaterThan(stops * 10);
    expect(sum!.input_tokens + sum!.output_tokens).toBeGreaterThanOrEqual(BUDGET);
    await waitFor(async () => (await fleet.store.listUsageHolds('ann')).length === 0, { what: 'no holds' });
  });

  it('is charged once for each attempt that breaks off', async () => {
    await fleet.startOrchestrator(await startSlowProvider('cut'), {
      ...settings,
      usage: { budget: { tokens: 220 }, keepDays: 400 },
    });
    const { code } = await fleet.event(await fleet.submit('go'), 'error');
    expect(code).toBe('budget_exceeded');
    expect(api!.requests).toHaveLength(2);
    await waitFor(async () => (await outputTokens()) === 200, { what: 'the words of both attempts' });
  });

  it('is charged once for the text of a superseded driver, in addition to the usage of the other one', async () => {
    const { bus } = await fleet.startOrchestrator(await startSlowProvider(never), settings);
    const turn = await fleet.submit('go');
    await fleet.event(turn, 'token');
    const spent = [{ model: settings.model, input_tokens: 20, output_tokens: 7, cached_tokens: 0 }];
    const said = { kind: 'model' as const, attempt: 200, stop_reason: 'end_turn' as const };
    await fleet.store.commitStep({ ...stepRow(systemTime(), { turn }, 1, said), spent });
    const { _id: turn_id, conversation_id } = turn;
    await bus.send('orchestrator.1', newMessage(systemTime(), 'turn.superseded', { turn_id, attempt: 2 }));
    await waitFor(async () => (await outputTokens()) === 100, { what: 'the words of the first driver' });
    for (let times = 0; times < 2; times++)
      await bus.publish('turns', newMessage(systemTime(), 'turn.advance', { turn_id, conversation_id }));
    await fleet.event(turn, 'complete');
    await waitFor(async () => (await outputTokens()) === 107, { what: 'the words of both' });
  });
});
