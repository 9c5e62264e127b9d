import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ModelBudget } from '#bootstrap';
import { createMetrics } from '#observability';
import { SeededRandom, VirtualClock } from '#time/testing';
import { ModelAdmission, type Permit } from './model-admission.js';
import type { Shortage } from './shared-budget.js';

const MODEL = 'anthropic/large';
const usage = (input_tokens: number, output_tokens: number, cached_tokens = 0) => ({
  input_tokens,
  output_tokens,
  cached_tokens,
});

let clock: VirtualClock;
beforeEach(() => void (clock = new VirtualClock(new SeededRandom(1))));

function createAdmission(budgets: Record<string, ModelBudget>, fleet = { size: 1 }) {
  const metrics = createMetrics({ collectDefaults: false });
  const admission = new ModelAdmission({
    budgets: new Map(Object.entries(budgets)),
    models: [MODEL],
    countOrchestrators: () => fleet.size,
    metrics,
    clock,
    random: new SeededRandom(2),
  });
  const admitted: string[] = [];
  const permits = new Map<string, Permit>();
  function ask(name: string, { model = MODEL, tokens = 0, signal = new AbortController().signal } = {}) {
    const waits: Shortage[] = [];
    const done = admission
      .admit({ model, estimateTokens: () => tokens, signal, onWait: (shortage) => waits.push(shortage) })
      .then((permit) => {
        admitted.push(name);
        permits.set(name, permit);
      });
    done.catch(() => undefined);
    return { waits, done };
  }
  return { admission, metrics, admitted, permits, ask, fleet };
}

const pass = (ms: number) => clock.advance(ms);

describe('admission to a model', () => {
  it('does not limit a model without a budget', async () => {
    const { ask, admitted } = createAdmission({ other: { streams: 1 } });
    for (const name of ['a', 'b', 'c']) ask(name);
    await pass(0);
    expect(admitted).toEqual(['a', 'b', 'c']);
  });

  it('admits as many requests as the minute allows; later ones wait in order and get their waiting time', async () => {
    const { ask, admitted, metrics } = createAdmission({ [MODEL]: { requestsPerMinute: 2 } });
    const asked = ['a', 'b', 'c', 'd'].map((name) => ask(name));
    await pass(0);
    expect(admitted).toEqual(['a', 'b']);
    expect(asked[2]!.waits).toEqual([{ shortOf: 'requests', waitMs: 30_000 }]);
    await pass(29_000);
    expect(admitted).toHaveLength(2);
    await pass(1_100);
    expect(admitted).toEqual(['a', 'b', 'c']);
    await pass(30_100);
    expect(admitted).toEqual(['a', 'b', 'c', 'd']);
    // The last one was told 30 s, and again when they were over.
    expect(asked[3]!.waits.length).toBeGreaterThanOrEqual(2);
    expect((await metrics.modelWaits.get()).values).toMatchObject([
      { labels: { short_of: 'requests' }, value: 2 },
    ]);
  });

  it('counts streams until they end', async () => {
    const { admission, ask, admitted, permits } = createAdmission({ [MODEL]: { streams: 1 } });
    ask('a');
    const { waits } = ask('b');
    await pass(60_000);
    expect(admitted).toEqual(['a']);
    expect(admission.size).toBe(1);
    expect(waits[0]).toEqual({ shortOf: 'streams', waitMs: 5_000 });
    permits.get('a')!.done();
    await pass(0);
    expect(admitted).toEqual(['a', 'b']);
    expect(admission.size).toBe(0);
    // Twice over is once.
    permits.get('a')!.done();
    ask('c');
    await pass(0);
    expect(admitted).toEqual(['a', 'b']);
  });

  it('counts the used tokens, without those from the provider’s cache', async () => {
    const { ask, admitted, permits } = createAdmission({ [MODEL]: { tokensPerMinute: 6_000 } });
    ask('a', { tokens: 1_000 });
    await pass(0);
    permits.get('a')!.done(usage(20_000, 3_000, 17_000));
    const { waits } = ask('b', { tokens: 1_000 });
    await pass(0);
    // 6,000 of 6,000 are gone; 1,000 flow in within 10 s.
    expect(waits).toEqual([{ shortOf: 'tokens', waitMs: 10_000 }]);
    await pass(10_100);
    expect(admitted).toEqual(['a', 'b']);
  });

  it('gives back tokens that were estimated and not used', async () => {
    const { ask, admitted, permits } = createAdmission({ [MODEL]: { tokensPerMinute: 30_000 } });
    ask('a', { tokens: 30_000 });
    ask('b', { tokens: 20_000 });
    await pass(0);
    expect(admitted).toEqual(['a']);
    permits.get('a')!.done(usage(900, 100));
    await pass(0);
    expect(admitted).toEqual(['a', 'b']);
  });

  it('shares the budget of a provider among its models, and with no other provider', async () => {
    const { ask, admitted } = createAdmission({ anthropic: { requestsPerMinute: 1 } });
    ask('a', { model: 'anthropic/large' });
    ask('b', { model: 'anthropic/small' });
    ask('c', { model: 'openai/large' });
    await pass(0);
    expect(admitted).toEqual(['a', 'c']);
  });

  it('does not let a small request overtake a large one that waits for the same tokens', async () => {
    const { ask, admitted } = createAdmission({ [MODEL]: { tokensPerMinute: 1_000 } });
    ask('a', { tokens: 900 });
    ask('large', { tokens: 800 });
    ask('small', { tokens: 10 });
    await pass(0);
    expect(admitted).toEqual(['a']);
    await pass(43_000);
    expect(admitted.slice(0, 2)).toEqual(['a', 'large']);
  });

  it('divides by the number of living orchestrators', async () => {
    const { ask, admitted, fleet } = createAdmission({ [MODEL]: { streams: 4 } }, { size: 2 });
    for (const name of ['a', 'b', 'c']) ask(name);
    await pass(0);
    expect(admitted).toEqual(['a', 'b']);
    fleet.size = 1;
    await pass(5_000);
    expect(admitted).toEqual(['a', 'b', 'c']);
  });

  it('pauses a model for as long as its provider asked, and only that model', async () => {
    const { admission, ask, admitted } = createAdmission({});
    admission.pause(MODEL, 10_000);
    const { waits } = ask('a');
    ask('b', { model: 'anthropic/small' });
    await pass(0);
    expect(admitted).toEqual(['b']);
    expect(waits[0]!.shortOf).toBe('provider');
    expect(waits[0]!.waitMs).toBeGreaterThanOrEqual(10_000);
    await pass(9_900);
    expect(admitted).toEqual(['b']);
    await pass(1_200);
    expect(admitted).toEqual(['b', 'a']);
  });

  it('keeps at most a thousand pauses, evicts the oldest, and drops those that are over', async () => {
    const { admission, ask, admitted } = createAdmission({});
    admission.pause('made/up', 1);
    await pass(10);
    admission.pause(MODEL, 3_600_000);
    for (let i = 0; i < 999; i++) admission.pause(`client/${i}`, 3_600_000);
    ask('a');
    await pass(0);
    expect(admitted).toEqual([]);
    admission.pause('client/one-more', 3_600_000);
    await pass(0);
    expect(admitted).toEqual(['a']);
  });

  it('tells what is left of each budget, who waits for it, and which of its models are paused', async () => {
    const budgets = {
      anthropic: { requestsPerMinute: 4, tokensPerMinute: 1_000, streams: 3 },
      other: { streams: 9 },
    };
    const { admission, ask, permits, fleet } = createAdmission(budgets);
    const free = { streams_limit: 9, streams: 0, waiting: 0 };
    const limits = { requests_limit: 4, tokens_limit: 1_000, streams_limit: 3 };
    ask('a', { tokens: 400 });
    ask('b', { tokens: 500 });
    ask('c', { tokens: 200 });
    await pass(0);
    expect(admission.load).toEqual({
      anthropic: { ...limits, requests_left: 2, tokens_left: 100, streams: 2, waiting: 1 },
      other: free,
    });
    permits.get('a')!.done(usage(2_000, 100));
    admission.pause(MODEL, 10_000);
    admission.pause('anthropic/of-a-client', 10_000);
    const { anthropic, other, ...paused } = admission.load;
    expect(anthropic).toMatchObject({ tokens_left: -1_600, streams: 1, waiting: 1 });
    expect(paused).toEqual({ [MODEL]: { waiting: 1, paused_ms: expect.any(Number) } });
    await pass(60_000);
    // The other half of the minute's requests flows to another orchestrator.
    fleet.size = 2;
    expect(admission.load).toMatchObject({ anthropic: { requests_left: 2, requests_limit: 4 }, other });
  });

  it('rejects with the reason of the request’s signal, and admits the next one', async () => {
    const { ask, admitted, permits } = createAdmission({ [MODEL]: { streams: 1 } });
    ask('a');
    const stop = new AbortController();
    const { done } = ask('stopped', { signal: stop.signal });
    ask('b');
    await pass(0);
    stop.abort(new Error('stopped'));
    await expect(done).rejects.toThrow('stopped');
    permits.get('a')!.done();
    await pass(0);
    expect(admitted).toEqual(['a', 'b']);
  });
});
