import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newMessage, type Turn } from '#contracts';
import { ModelError, type ModelPart } from '#llm';
import { DEFAULT_BUDGETS } from '#turn';
import { systemTime } from '#time';
import { waitFor } from '../../services/wait-for.js';
import { FleetHarness, scriptedModel, USAGE } from './fleet-harness.js';

const MODEL = 'test/model';
const answer: ModelPart[] = [
  { type: 'text', text: 'done' },
  { type: 'end', stop_reason: 'end_turn', usage: USAGE },
];

let fleet: FleetHarness;
const releases: (() => void)[] = [];
beforeEach(async () => {
  fleet = await FleetHarness.open();
});
afterEach(async () => {
  for (const release of releases.splice(0)) release();
  await fleet.close();
});

/** Answers begin, and end when `release` is called. */
function holdingModel() {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const model = scriptedModel(async function* () {
    yield { type: 'text', text: 'so far' };
    await held;
    yield* answer;
  });
  releases.push(release);
  return { model, release };
}

const oneStream = { modelBudgets: new Map([[MODEL, { streams: 1 }]]) };

async function statusOf({ _id }: Turn): Promise<string | undefined> {
  return (await fleet.store.getTurn(_id))?.status;
}

describe('a budget of a model', () => {
  it('makes the next turn wait visibly, and continue when there is room', async () => {
    const { model, release } = holdingModel();
    const { metrics } = await fleet.startOrchestrator(model, oneStream);
    const first = await fleet.submit('first');
    await fleet.event(first, 'token');
    const second = await fleet.submit('second');
    const waiting = await fleet.event(second, 'waiting');
    expect(waiting.reason).toMatch(/limit of concurrent answers/);
    expect(waiting.retry_after_ms).toBeGreaterThan(0);
    expect(model.requests).toHaveLength(1);
    release();
    await Promise.all([fleet.event(first, 'complete'), fleet.event(second, 'complete')]);
    expect(model.requests).toHaveLength(2);
    expect((await metrics.modelWaits.get()).values).toMatchObject([
      { labels: { short_of: 'streams' }, value: 1 },
    ]);
  });

  it('is divided by the living orchestrators', async () => {
    const { model, release } = holdingModel();
    const two = { modelBudgets: new Map([[MODEL, { streams: 2 }]]), turnsAtOnce: 10 };
    await fleet.startOrchestrator(model, two);
    await fleet.startOrchestrator(model, two);
    const turns = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((text) => fleet.submit(text)));
    await waitFor(() => turns.filter((turn) => fleet.of(turn, 'waiting').length > 0).length === 4, {
      what: 'four of six wait',
    });
    expect(model.requests).toHaveLength(2);
    release();
    await Promise.all(turns.map((turn) => fleet.event(turn, 'complete')));
  });

  it('does not delay a Stop', async () => {
    const { model } = holdingModel();
    const { bus } = await fleet.startOrchestrator(model, oneStream);
    await fleet.event(await fleet.submit('first'), 'token');
    const second = await fleet.submit('second');
    await fleet.event(second, 'waiting');
    const [claim] = await fleet.store.listClaims(second._id);
    const body = { turn_id: second._id, request_id: 'r1', reply_to: 'gateway.1' };
    await bus.send(claim!.owner.replace('-', '.'), newMessage(systemTime(), 'turn.stop', body));
    await fleet.event(second, 'cancelled');
    expect(model.requests).toHaveLength(1);
  });

  it('does not delay a turn beyond its time', async () => {
    const { model } = holdingModel();
    await fleet.startOrchestrator(model, { ...oneStream, budgets: { ...DEFAULT_BUDGETS, turnMs: 5_000 } });
    await fleet.event(await fleet.submit('first'), 'token');
    const second = await fleet.submit('second');
    await fleet.event(second, 'waiting');
    expect(await fleet.event(second, 'error')).toMatchObject({ code: 'budget_exceeded' });
    expect(model.requests).toHaveLength(1);
  });
});

describe('a provider that asks for fewer requests', () => {
  it('is paused by every orchestrator until the time it gave', async () => {
    const model = scriptedModel((_, index) => {
      if (index > 0) return answer;
      throw new ModelError('Too many requests.', 'rate_limited', { retryable: true, retryAfterMs: 5_000 });
    });
    await fleet.startOrchestrator(model, { turnsAtOnce: 2 });
    await fleet.startOrchestrator(model, { turnsAtOnce: 2 });
    const first = await fleet.submit('first');
    await fleet.event(first, 'waiting');
    // One of the two cannot take all of them.
    const others = await Promise.all(['a', 'b', 'c'].map((text) => fleet.submit(text)));
    const waits = await Promise.all(others.map((turn) => fleet.event(turn, 'waiting')));
    expect(waits.map(({ reason }) => reason)).toEqual(
      Array(3).fill('The model’s provider wants fewer requests.'),
    );
    expect(model.requests).toHaveLength(1);
    await Promise.all([first, ...others].map((turn) => fleet.event(turn, 'complete')));
    const claims = await Promise.all([first, ...others].map(({ _id }) => fleet.store.listClaims(_id)));
    expect(new Set(claims.map(([claim]) => claim!.owner)).size).toBe(2);
    expect(model.requests).toHaveLength(5);
    expect(await statusOf(first)).toBe('completed');
  });

  it('is announced to other orchestrators', async () => {
    const refusing = scriptedModel(() => {
      throw new ModelError('Too many requests.', 'rate_limited', { retryable: false, retryAfterMs: 60_000 });
    });
    const heard: unknown[] = [];
    const gateway = await fleet.gateway();
    await gateway.onControl(
      { role: 'orchestrator', processId: 'orchestrator-listener' },
      ({ type, body }) => {
        if (type === 'model.limited') heard.push(body);
      },
    );
    await fleet.startOrchestrator(refusing);
    await fleet.event(await fleet.submit('first'), 'error');
    expect(heard).toEqual([{ model: MODEL, retry_after_ms: 60_000 }]);
  });
});
