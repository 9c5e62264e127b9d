import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newMessage, type Turn } from '#contracts';
import { ModelError, type ModelPart } from '#llm';
import { dayOf } from '#turn';
import { systemTime } from '#time';
import { waitFor } from '../../services/wait-for.js';
import { FleetHarness, scriptedModel, USAGE } from './fleet-harness.js';

/* One call uses 15 tokens (`USAGE`). */

const say: ModelPart[] = [
  { type: 'text', text: 'Hi.' },
  { type: 'end', stop_reason: 'end_turn', usage: USAGE },
];
const budgeted = (budget: { tokens?: number; cost?: number }) => ({
  model: 'one/a',
  maxOutputTokens: 5,
  usage: { budget, keepDays: 400 },
});

let fleet: FleetHarness;
beforeEach(async () => {
  fleet = await FleetHarness.open();
});
afterEach(() => fleet.close());

const end = (turn: Turn) =>
  waitFor(() => fleet.of(turn, 'complete')[0] ?? fleet.of(turn, 'error')[0], { what: 'the end' });
const holds = () => fleet.store.listUsageHolds('ann');
async function tokensToday(): Promise<number> {
  const day = dayOf(Date.now());
  const [sum] = await fleet.store.sumUsage({ user_id: 'ann', from: day, to: '9999-12-31', by: [], limit: 1 });
  return sum ? sum.input_tokens + sum.output_tokens : 0;
}

describe('a budget of tokens by user and day', () => {
  it('is exceeded by at most one call for ten simultaneous turns of two orchestrators', async () => {
    const model = scriptedModel(() => say);
    await fleet.startOrchestrator(model, budgeted({ tokens: 50 }));
    await fleet.startOrchestrator(model, budgeted({ tokens: 50 }));
    const turns = await Promise.all(Array.from({ length: 10 }, () => fleet.submit('go')));
    const ends = await Promise.all(turns.map(end));
    expect(model.requests).toHaveLength(4);
    expect(ends.filter(({ type }) => type === 'complete')).toHaveLength(4);
    const refused = ends.filter((event) => event.type === 'error');
    for (const event of refused)
      expect(event).toMatchObject({
        code: 'budget_exceeded',
        message: expect.stringMatching(
          /^Your budget of 50 tokens a day is used up \(60 used\)\. Nothing is left until it renews at .*T00:00:00Z\.$/,
        ),
      });
    await waitFor(async () => (await tokensToday()) === 60, { what: 'the sum' });
    await waitFor(async () => (await holds()).length === 0, { what: 'no holds' });
  });

  it('ends a running turn before its next call, and the next turn before its first one', async () => {
    const model = scriptedModel((): ModelPart[] => [
      { type: 'tool_call', name: 'nothing__here', arguments: {}, raw: '{}' },
      { type: 'end', stop_reason: 'tool_use', usage: USAGE },
    ]);
    await fleet.startOrchestrator(model, budgeted({ tokens: 25 }));
    const turn = await fleet.submit('go');
    expect(await end(turn)).toMatchObject({ code: 'budget_exceeded', steps: 2 });
    expect(model.requests).toHaveLength(2);
    expect(await end(await fleet.submit('go on', { after: turn }))).toMatchObject({
      code: 'budget_exceeded',
    });
    expect(model.requests).toHaveLength(2);
  });

  it('counts failed attempts of the same step before they are stored', async () => {
    async function* breakOff(): AsyncIterable<ModelPart> {
      yield { type: 'usage', usage: USAGE };
      throw new ModelError('Busy.', 'overloaded', {
        retryable: true,
        retryAfterMs: 1,
      });
    }
    const model = scriptedModel(() => breakOff());
    await fleet.startOrchestrator(model, budgeted({ tokens: 25 }));
    expect(await end(await fleet.submit('go'))).toMatchObject({ code: 'budget_exceeded' });
    expect(model.requests).toHaveLength(2);
  });

  it('does not restrict other users, or turns that ask no model', async () => {
    const model = scriptedModel(() => say);
    await fleet.store.addUsage({
      _id: 'used',
      user_id: 'ann',
      day: dayOf(Date.now()),
      conversation_id: 'another',
      model: 'one/a',
      input_tokens: 1_000,
      output_tokens: 0,
      cached_tokens: 0,
      cost: 0,
      counted_to: 1,
    });
    await fleet.startOrchestrator(model, budgeted({ tokens: 25 }));
    const answered = await fleet.submit('go', { options: { answer: 'Said elsewhere.' } });
    expect(await end(answered)).toMatchObject({ type: 'complete' });
    expect(await end(await fleet.submit('go'))).toMatchObject({ code: 'budget_exceeded' });
    expect(model.requests).toEqual([]);
  });

  it('waits for other answers that reserve the rest, reports it, and continues when some is left', async () => {
    let finish = (): void => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const model = scriptedModel((_request, index) => (index === 0 ? slowly() : say));
    async function* slowly(): AsyncIterable<ModelPart> {
      await gate;
      yield* say;
    }
    await fleet.startOrchestrator(model, { ...budgeted({ tokens: 100 }), maxOutputTokens: 1_000 });
    const first = await fleet.submit('one');
    await waitFor(() => model.requests.length === 1, { what: 'the first call' });
    const second = await fleet.submit('two');
    const waiting = await fleet.event(second, 'waiting');
    expect(waiting.reason).toContain('Your other answers have reserved');
    expect(model.requests).toHaveLength(1);
    finish();
    expect(await end(first)).toMatchObject({ type: 'complete' });
    expect(await end(second)).toMatchObject({ type: 'complete' });
  });

  it('is not reserved by a turn that has ended without releasing it', async () => {
    const model = scriptedModel(() => say);
    const dead = await fleet.submit('dead');
    await fleet.store.setTurnStatus(dead._id, 'failed');
    for (const _id of [dead._id, 'turn_gone'])
      await fleet.store.putUsageHold({ _id, user_id: 'ann', tokens: 1_000, cost: 0, at: dead.at });
    await fleet.startOrchestrator(model, budgeted({ tokens: 50 }));
    expect(await end(await fleet.submit('go'))).toMatchObject({ type: 'complete' });
  });

  it('reacts to a stop while it waits', async () => {
    let finish = (): void => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const model = scriptedModel(() => slowly());
    async function* slowly(): AsyncIterable<ModelPart> {
      await gate;
      yield* say;
    }
    const { bus } = await fleet.startOrchestrator(model, {
      ...budgeted({ tokens: 100 }),
      maxOutputTokens: 1_000,
    });
    await fleet.submit('one');
    await waitFor(() => model.requests.length === 1, { what: 'the first call' });
    const waiting = [await fleet.submit('two'), await fleet.submit('three')];
    for (const turn of waiting.reverse()) {
      await fleet.event(turn, 'step_started');
      const [claim] = await fleet.store.listClaims(turn._id);
      const stop = newMessage(systemTime(), 'turn.stop', {
        turn_id: turn._id,
        request_id: 'r',
        reply_to: 'gateway.1',
      });
      await bus.send(claim!.owner.replace('-', '.'), stop);
      await fleet.event(turn, 'cancelled');
    }
    await waitFor(async () => (await holds()).length === 1, { what: 'the hold of the first alone' });
    finish();
  });
});

it('a budget of cost by user and day uses the price of each model', async () => {
  const price = { input: 100_000, cachedInput: 0, output: 100_000 };
  const model = scriptedModel(() => say);
  await fleet.startOrchestrator(model, { ...budgeted({ cost: 2 }), modelPrices: new Map([['one', price]]) });
  const first = await fleet.submit('go');
  await end(first);
  const second = await fleet.submit('go on', { after: first });
  await end(second);
  expect(await end(await fleet.submit('and on', { after: second }))).toMatchObject({
    code: 'budget_exceeded',
    message: expect.stringContaining('Your budget of 2 a day for models is used up (3 used).'),
  });
  const free = await fleet.submit('go', { options: { model: 'two/b' } });
  expect(await end(free)).toMatchObject({ code: 'budget_exceeded' });
});

it('a budget of cost makes the orchestrator log at start which allowed models have no price', async () => {
  const settings = { ...budgeted({ cost: 5 }), allowedModels: ['one/a'] };
  await fleet.startOrchestrator(
    scriptedModel(() => say),
    settings,
  );
  expect(fleet.log).toContainEqual(expect.objectContaining({ models: ['one/a'] }));
});
