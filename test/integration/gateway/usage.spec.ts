import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { UsageRow } from '#contracts';
import { Client, startHarness, type Harness } from './gateway-harness.js';

const DAY_MS = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

let harness: Harness;
let user: string;
beforeEach(async () => {
  harness = await startHarness({
    config: { usage: { budget: { tokens: 1_000, cost: 5 }, keepDays: 400 } },
  });
  const made = await fetch(`${harness.url}/api/conversations`, { method: 'POST' });
  user = ((await made.json()) as { user_id: string }).user_id;
});
afterEach(() => harness.stop());

let number = 0;
const use = (fields: Partial<UsageRow>) =>
  harness.store.addUsage({
    _id: `row_${number++}`,
    user_id: user,
    day: dayBefore(0),
    conversation_id: 'talk',
    model: 'one/a',
    input_tokens: 100,
    output_tokens: 50,
    cached_tokens: 20,
    cost: 1.5,
    counted_to: 1,
    ...fields,
  });
const sums = (times: number) => ({
  input_tokens: 100 * times,
  cached_tokens: 20 * times,
  output_tokens: 50 * times,
  cost: 1.5 * times,
});
const read = async (path: string) => {
  const response = await fetch(harness.url + path);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('GET /api/usage', () => {
  it('contains today, the last 30 days by day and model, and the rest of the budget', async () => {
    await use({});
    await use({ conversation_id: 'another' });
    await use({ model: 'two/b', day: dayBefore(29) });
    await use({ day: dayBefore(30) });
    await use({ user_id: 'somebody else' });
    const { body } = await read('/api/usage');
    const midnight = new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS).toISOString();
    expect(body).toEqual({
      from: dayBefore(29),
      to: dayBefore(0),
      today: sums(2),
      total: sums(3),
      rows: [
        { day: dayBefore(29), model: 'two/b', ...sums(1) },
        { day: dayBefore(0), model: 'one/a', ...sums(2) },
      ],
      is_cut: false,
      budget: {
        tokens: { limit: 1_000, used: 300, left: 700 },
        cost: { limit: 5, used: 3, left: 2 },
        renewed_at: midnight,
      },
    });
  });

  it('is grouped by the requested keys, over the requested days', async () => {
    for (const day of ['2026-01-01', '2026-01-02', '2026-01-03']) await use({ day });
    await use({ day: '2026-01-02', conversation_id: 'another' });
    const of = async (query: string) => (await read(`/api/usage?${query}`)).body.rows;
    expect(await of('from=2026-01-02&to=2026-01-03&by=conversation')).toEqual([
      { conversation_id: 'another', ...sums(1) },
      { conversation_id: 'talk', ...sums(2) },
    ]);
    expect(await of('to=2026-01-02&by=day')).toEqual([
      { day: '2026-01-01', ...sums(1) },
      { day: '2026-01-02', ...sums(2) },
    ]);
  });

  it('refuses invalid, reversed and too many days, and unknown keys', async () => {
    const wrong = [
      'from=2026-02-30',
      'to=2026-13-01',
      'from=yesterday',
      'from=2026-01-02&to=2026-01-01',
      'from=2020-01-01&to=2026-01-01',
      'from=9999-01-01',
      'by=user',
      'by=',
      'by=day,$where',
      'by=day,day,day,day',
    ];
    for (const query of wrong) {
      const { status, body } = await read(`/api/usage?${query}`);
      expect([query, status, body.code]).toEqual([query, 422, 'invalid']);
    }
  });
});

it('GET /api/admin/usage returns every user, or one', async () => {
  await use({});
  await use({ user_id: 'bob', model: 'two/b' });
  expect((await read('/api/admin/usage')).body).toEqual({
    from: dayBefore(29),
    to: dayBefore(0),
    total: sums(2),
    rows: [
      { user_id: 'bob', ...sums(1) },
      { user_id: user, ...sums(1) },
    ].toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1)),
    is_cut: false,
  });
  const { body } = await read('/api/admin/usage?user_id=bob&by=user,model');
  expect(body.rows).toEqual([{ user_id: 'bob', model: 'two/b', ...sums(1) }]);
});

describe('a user with an exhausted budget', () => {
  it('is refused before a turn exists, on every way in, with the remainder and the time of renewal', async () => {
    await use({ input_tokens: 1_000, output_tokens: 0, cost: 0 });
    const client = new Client(harness.url);
    await client.connected();
    const refused = await client.request('message', { content: 'hello' });
    expect(refused.error).toMatchObject({
      code: 'budget_exceeded',
      message: expect.stringMatching(
        /^Your budget of 1000 tokens a day is used up \(1000 used\)\. Nothing is left until it renews at .*T00:00:00Z\.$/,
      ),
    });
    expect(refused.error!.retry_after_ms).toBeGreaterThan(0);
    const [known] = (await (await fetch(`${harness.url}/api/conversations`)).json()) as { id: string }[];
    const post = (path: string, body: object) =>
      fetch(harness.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const http = await post(`/api/conversations/${known!.id}/turns`, { content: 'hello' });
    expect([http.status, http.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    const messages = [{ role: 'user', content: 'hello' }];
    const completion = await post('/v1/chat/completions', { model: 'switchyard', messages });
    expect([completion.status, await completion.json()]).toMatchObject([
      429,
      { error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
    ]);
    expect(await harness.store.lastTurnNumber(known!.id)).toBe(0);
    expect(await (await fetch(`${harness.url}/api/conversations`)).json()).toHaveLength(1);
    expect(await (await fetch(`${harness.url}/metrics`)).text()).toContain(
      'switchyard_refusals_total{limit="usage_per_user_per_day"} 3',
    );
    client.socket.close();
  });

  it('gets the turn of a message that was accepted before, and may call tools', async () => {
    const client = new Client(harness.url);
    await client.connected();
    const message = { content: 'hello', client_message_id: 'the-same' };
    const first = await client.request('message', message);
    await use({ input_tokens: 1_000 });
    const call = { tool_name: 'math.add', arguments: { a: 1, b: 1 } };
    expect((await client.request('message', { content: 'add', options: { call } })).error).toBeUndefined();
    expect(await client.request('message', message)).toEqual(first);
    client.socket.close();
  });
});
