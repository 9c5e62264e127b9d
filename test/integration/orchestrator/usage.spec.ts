import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newMessage, type Turn } from '#contracts';
import { ModelError, type Model, type ModelPart } from '#llm';
import { systemTime } from '#time';
import { FleetHarness, scriptedModel } from './fleet-harness.js';

const counted = (input_tokens: number, output_tokens: number) => ({
  input_tokens,
  output_tokens,
  cached_tokens: 0,
});
const PRICE = { input: 1_000_000, cachedInput: 0, output: 1_000_000 };
const prices = {
  modelPrices: new Map([
    ['one/a', PRICE],
    ['two/b', { ...PRICE, output: 10_000_000 }],
  ]),
};
const overloaded = new ModelError('Busy.', 'overloaded', { retryable: true, retryAfterMs: 1, status: 529 });

/** Is counted, says something, and breaks off. */
async function* breakOff(input: number, output: number, error: unknown): AsyncIterable<ModelPart> {
  yield { type: 'usage', usage: counted(input, 1) };
  yield { type: 'text', text: 'Half' };
  yield { type: 'usage', usage: counted(input, output) };
  throw error;
}

const whole = (stop_reason: 'end_turn' | 'refusal'): ModelPart[] => [
  { type: 'usage', usage: counted(100, 1) },
  { type: 'text', text: 'An answer.' },
  { type: 'end', usage: counted(100, 7), stop_reason },
];

let fleet: FleetHarness;
beforeEach(async () => {
  fleet = await FleetHarness.open();
});
afterEach(() => fleet.close());

const usageOf = async ({ _id }: Turn) => (await fleet.store.getStep(_id, 1))!.usage;

describe('tokens of an abandoned answer', () => {
  it('are reported and priced with the restarted step, each by its own model', async () => {
    const script = [breakOff(100, 2, overloaded), breakOff(100, 3, overloaded), whole('end_turn')];
    const model = scriptedModel((_request, index) => script[index]!);
    const modelUse = new Map([['one/a', { fallback: ['two/b'] }]]);
    const { metrics } = await fleet.startOrchestrator(model, { model: 'one/a', modelUse, ...prices });
    const { usage } = await fleet.event(await fleet.submit('go'), 'complete');
    expect(usage).toEqual(counted(300, 12));
    expect((await metrics.modelCost.get()).values).toMatchObject([
      { labels: { model: 'one/a' }, value: 205 },
      { labels: { model: 'two/b' }, value: 170 },
    ]);
  });

  it('are in the row that ends a failed or declined turn', async () => {
    const failed = new ModelError('No.', 'invalid', { retryable: false });
    const script = [breakOff(100, 2, failed), whole('refusal')];
    const model = scriptedModel((_request, index) => script[index]!);
    const { metrics } = await fleet.startOrchestrator(model, { model: 'one/a', ...prices });
    const turn = await fleet.submit('go');
    await fleet.event(turn, 'error');
    expect(await usageOf(turn)).toEqual(counted(100, 2));
    const declined = await fleet.submit('go');
    await fleet.event(declined, 'error');
    expect(await usageOf(declined)).toEqual(counted(100, 7));
    expect((await metrics.modelCost.get()).values[0]!.value).toBe(209);
  });

  it('are in the row of a stop', async () => {
    const model: Model = {
      async *stream(_request, signal) {
        yield { type: 'usage', usage: counted(100, 2) };
        yield { type: 'text', text: 'Half' };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw signal.reason;
      },
    };
    const { metrics, bus } = await fleet.startOrchestrator(model, { model: 'one/a', ...prices });
    const turn = await fleet.submit('go');
    await fleet.event(turn, 'token');
    const [claim] = await fleet.store.listClaims(turn._id);
    const stop = newMessage(systemTime(), 'turn.stop', {
      turn_id: turn._id,
      request_id: 'r',
      reply_to: 'gateway.1',
    });
    await bus.send(claim!.owner.replace('-', '.'), stop);
    await fleet.event(turn, 'cancelled');
    expect(await usageOf(turn)).toEqual(counted(100, 2));
    expect((await metrics.modelCost.get()).values[0]!.value).toBe(102);
  });

  it('are absent when the provider has reported none', async () => {
    const model = scriptedModel(() => {
      throw new ModelError('No.', 'invalid', { retryable: false });
    });
    await fleet.startOrchestrator(model, { model: 'one/a' });
    const turn = await fleet.submit('go');
    await fleet.event(turn, 'error');
    expect(await usageOf(turn)).toBeNull();
  });
});
