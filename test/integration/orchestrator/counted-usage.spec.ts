import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newMessage, type Turn } from '#contracts';
import { createMetrics } from '#observability';
import { stepRow, stopTurn, observeJournal } from '#journal';
import { ModelError, type ModelPart } from '#llm';
import { systemTime } from '#time';
import { dayOf } from '#turn';
import { waitFor } from '../../services/wait-for.js';
import { FleetHarness, scriptedModel, USAGE } from './fleet-harness.js';

const PRICE = { input: 1_000_000, cachedInput: 0, output: 1_000_000 };
const say: ModelPart[] = [
  { type: 'text', text: 'Hi.' },
  { type: 'end', stop_reason: 'end_turn', usage: USAGE },
];
const spent = [{ model: 'one/a', input_tokens: 100, output_tokens: 10, cached_tokens: 0, cost: 3 }];

let fleet: FleetHarness;
beforeEach(async () => {
  fleet = await FleetHarness.open();
});
afterEach(() => fleet.close());

const today = dayOf(Date.now());
const sums = () =>
  fleet.store.sumUsage({ user_id: 'ann', from: today, to: '9999-12-31', by: ['model'], limit: 10 });
const counted = (tokens: number) =>
  waitFor(
    async () =>
      (await sums()).reduce(
        (all, { input_tokens, output_tokens }) => all + input_tokens + output_tokens,
        0,
      ) === tokens,
    { what: `${tokens} tokens` },
  );

describe('usage of models', () => {
  it('is counted per model with the current price, fallbacks and failed attempts included', async () => {
    async function* breakOff(): AsyncIterable<ModelPart> {
      yield { type: 'usage', usage: { input_tokens: 7, output_tokens: 1, cached_tokens: 0 } };
      throw new ModelError('Busy.', 'overloaded', { retryable: true, retryAfterMs: 1, status: 529 });
    }
    const model = scriptedModel(({ model: name }) => (name === 'one/a' ? breakOff() : say));
    const modelUse = new Map([['one/a', { fallback: ['two/b'] }]]);
    await fleet.startOrchestrator(model, {
      model: 'one/a',
      modelUse,
      modelPrices: new Map([['one', PRICE]]),
    });
    const turn = await fleet.submit('go');
    await fleet.event(turn, 'complete');
    await counted(31);
    expect(await sums()).toEqual([
      { model: 'one/a', input_tokens: 14, output_tokens: 2, cached_tokens: 0, cost: 16 },
      { model: 'two/b', ...USAGE, cost: 0 },
    ]);
    expect((await fleet.store.getStep(turn._id, 1))?.spent?.map(({ cost }) => cost)).toEqual([16, undefined]);
  });

  it('grows with the turns of a conversation, and with those of others', async () => {
    await fleet.startOrchestrator(
      scriptedModel(() => say),
      { model: 'one/a' },
    );
    const first = await fleet.submit('go');
    await fleet.event(first, 'complete');
    await fleet.event(await fleet.submit('go on', { after: first }), 'complete');
    await fleet.event(await fleet.submit('go'), 'complete');
    await counted(45);
    const rows = await fleet.store.sumUsage({
      user_id: 'ann',
      from: today,
      to: '9999-12-31',
      by: ['conversation_id'],
      limit: 10,
    });
    expect(rows.map(({ input_tokens }) => input_tokens).sort()).toEqual([10, 20]);
  });

  it('of a driver that died before it counted its steps is counted by the next driver', async () => {
    const turn = await fleet.submit('go');
    await fleet.store.commitStep({
      ...stepRow(systemTime(), { turn }, 1, { kind: 'summary', attempt: 100 }),
      spent,
    });
    await fleet.startOrchestrator(
      scriptedModel(() => say),
      { model: 'one/a' },
    );
    await fleet.event(turn, 'complete');
    await counted(125);
  });

  it('of a driver that died before it counted the end is counted once, by the next observer', async () => {
    const turn = await fleet.submit('go');
    await fleet.store.commitStep(ended(turn));
    await fleet.startOrchestrator(
      scriptedModel(() => say),
      { model: 'one/a' },
    );
    await counted(110);
    const bus = await fleet.gateway();
    const { conversation_id } = turn;
    await bus.publish(
      'turns',
      newMessage(systemTime(), 'turn.advance', { turn_id: turn._id, conversation_id }),
    );
    await fleet.event(await fleet.submit('go on', { after: turn }), 'complete');
    await counted(125);
  });

  it('is counted when an ended turn is stopped, as a deletion does', async () => {
    const turn = await fleet.submit('go');
    await fleet.store.commitStep(ended(turn));
    const { part } = await fleet.join('gateway');
    const observer = observeJournal(part.log, createMetrics({ collectDefaults: false }));
    const ports = { ...part, me: part.processId, observer };
    const stop = () => stopTurn(ports, turn._id, () => Promise.resolve(false));
    await stop();
    await stop();
    expect((await sums()).map(({ input_tokens }) => input_tokens)).toEqual([100]);
  });

  it('for a step that another driver committed first is counted too', async () => {
    const model = scriptedModel(() => commitFirst());
    async function* commitFirst(): AsyncIterable<ModelPart> {
      await fleet.store.commitStep(ended(turn));
      yield* say;
    }
    await fleet.startOrchestrator(model, { model: 'one/a' });
    const turn = await fleet.submit('go');
    await fleet.event(turn, 'complete');
    await counted(125);
    expect((await fleet.store.readJournal(turn._id))?.steps).toHaveLength(1);
  });

  it('outlives its conversation', async () => {
    await fleet.startOrchestrator(
      scriptedModel(() => say),
      { model: 'one/a' },
    );
    const turn = await fleet.submit('go');
    await fleet.event(turn, 'complete');
    await counted(15);
    await fleet.store.removeTurns(turn.conversation_id, [turn._id], 'ids');
    expect((await fleet.store.getStep(turn._id, 1))?.spent).toBeUndefined();
    expect((await sums()).map(({ input_tokens }) => input_tokens)).toEqual([10]);
  });
});

function ended(turn: Turn) {
  const said = { kind: 'model' as const, attempt: 100, stop_reason: 'end_turn' as const };
  return { ...stepRow(systemTime(), { turn }, 1, said), spent };
}
