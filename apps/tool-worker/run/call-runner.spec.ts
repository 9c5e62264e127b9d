import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Call, ToolCallBody } from '#contracts';
import type { Bus } from '#messaging';
import { createStore, type Store } from '#store';
import {
  Slots,
  ToolConnectionLostError,
  ToolError,
  type Tool,
  type ToolContext,
  type ToolsetHost,
} from '#tools';
import { timestampOf } from '#time';
import { SeededRandom, VirtualClock } from '#time/testing';
import { noSwitches, testPorts } from '#journal/testing';
import { createCallRunner } from '../testing/create-call-runner.js';
import type { CallRunner } from './call-runner.js';

const MINUTE_MS = 60_000;
const definition = {
  own_name: 'fetch',
  description: 'Fetches.',
  input_schema: { type: 'object' },
  class: 'read' as const,
  timeout_ms: 20 * MINUTE_MS,
};

const random = new SeededRandom(1);

let store: Store;
let clock: VirtualClock;
let published: unknown[];

beforeEach(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
  clock = new VirtualClock(random);
  published = [];
});

afterEach(() => store.close());

/** A worker whose one tool does what `run` does. */
function createRunner(
  run: (context: ToolContext) => Promise<never>,
  deployed: Parameters<typeof createCallRunner>[2] = {},
): CallRunner {
  const tool: Tool = { definition, run: (_, context) => run(context) };
  const host = { name: 'files', source: 'mcp', server: 'files', version: '1', tools: () => [tool] };
  const publish: Bus['publish'] = async (queue, { body }) => {
    published.push([queue, body]);
    return 'confirmed';
  };
  const bus = { emit: () => {}, send: async () => 'confirmed', publish } as Partial<Bus> as Bus;
  const ports = testPorts({ store, bus, me: 'worker-1', clock, random });
  return createCallRunner(ports, [host as ToolsetHost], deployed);
}

/** A call of a step that has been committed, just delivered. */
async function deliver(): Promise<ToolCallBody> {
  const place = { turn_id: 'turn_1', conversation_id: 'conv_1', n: 1 };
  const tool_call_id = `call_${'0'.repeat(22)}`;
  const call: Call = {
    tool_call_id,
    tool_name: 'files.fetch',
    display_name: 'mcp:files:fetch',
    source: 'mcp',
    arguments: {},
    class: 'read',
    timeout_ms: definition.timeout_ms,
    approval: 'none',
  };
  await store.commitStep({
    ...place,
    _id: 'turn_1:1',
    turn_number: 1,
    attempt: 100,
    kind: 'model',
    blocks: [],
    calls: [call],
    stop_reason: 'tool_use',
    usage: null,
    at: timestampOf(clock),
  });
  return {
    ...place,
    tool_call_id,
    user_id: 'user_1',
    tool_name: 'files.fetch',
    arguments: {},
    class: 'read',
    timeout_ms: definition.timeout_ms,
    deadline: new Date(clock.wall() + definition.timeout_ms + MINUTE_MS).toISOString(),
    reply_to: 'orchestrator.1',
  };
}

describe('a call that was made for another version of its tool', () => {
  const runs = () => Promise.reject(new ToolError({ error_type: 'TimeoutError', error_message: 'It ran.' }));
  const outcomeOf = async ({ tool_call_id }: ToolCallBody) => (await store.getOutcome(tool_call_id))?.error;

  async function handle(tool_version: string, hasMajor: boolean): Promise<ToolCallBody> {
    const body = { ...(await deliver()), tool_version };
    const runner = createRunner(runs, {
      hasMajor: (...asked) => asked.join() === 'files,files.fetch,2' && hasMajor,
    });
    const handled = runner.handle(body, new Slots(1));
    await clock.advance(1_000);
    expect(await handled).toBe('ack');
    return body;
  }

  it('runs with the same major version', async () => {
    expect(await outcomeOf(await handle('1.99.0', false))).toMatchObject({ error_message: 'It ran.' });
    expect(published).toEqual([]);
  });

  it('is passed on unclaimed to the workers that have its major version', async () => {
    const body = await handle('2.0.0', true);
    expect(published).toEqual([['tools.files', body]]);
    expect(await outcomeOf(body)).toBeUndefined();
    expect(await store.listClaims(body.tool_call_id)).toEqual([]);
  });

  it('never starts once no worker has its major version', async () => {
    const body = await handle('2.0.0', false);
    expect(await outcomeOf(body)).toEqual({
      error_type: 'DependencyUnavailable',
      error_message:
        'files.fetch 2.0.0 is gone, and 1 takes other calls. A new message uses the new version.',
      error_details: { started: false },
    });
    expect(await store.listClaims(body.tool_call_id)).toMatchObject([{ purpose: 'settle' }]);
    expect(published).toEqual([]);
  });
});

it('a call whose tool was paused while it was claimed never starts', async () => {
  let hasClaimed = false;
  const pause = { _id: 'toolset:files', kind: 'toolset', name: 'files', by: 'olga', at: '' } as const;
  const { claim } = store;
  store.claim = async (row) => {
    hasClaimed = true;
    return claim.call(store, row);
  };
  const switches = { ...noSwitches(), pauseOf: () => (hasClaimed ? pause : undefined) };
  const runner = createRunner(() => Promise.reject(new Error('must not run')), { switches });
  const body = { ...(await deliver()), class: 'once' as const };
  const handled = runner.handle(body, new Slots(1));
  await clock.advance(1_000);
  expect(await handled).toBe('ack');
  expect((await store.getOutcome(body.tool_call_id))?.error).toMatchObject({
    error_type: 'DependencyUnavailable',
    error_details: { started: false, paused: true },
  });
});

describe('a claimed call', () => {
  it('is held for 20 minutes over all its attempts', async () => {
    const startedAt = clock.now();
    const starts: number[] = [];
    const runner = createRunner(async ({ attempt }) => {
      starts.push(Math.round((clock.now() - startedAt) / MINUTE_MS));
      if (attempt > 1) return new Promise<never>(() => {});
      await clock.sleep(15 * MINUTE_MS);
      throw new ToolConnectionLostError('It broke.');
    });
    const body = await deliver();
    let endedAfterMs = 0;
    const handled = runner.handle(body, new Slots(1)).then((outcome) => {
      endedAfterMs = clock.now() - startedAt;
      return outcome;
    });
    await clock.advance(60 * MINUTE_MS);
    expect(await handled).toBe('ack');
    expect(starts).toEqual([0, 15]);
    expect(endedAfterMs).toBe(20 * MINUTE_MS);
    expect((await store.getOutcome(body.tool_call_id))?.error).toMatchObject({
      error_type: 'TimeoutError',
      error_details: { limit_ms: 5 * MINUTE_MS, may_still_run: true },
    });
  });

  it('that may not run again delays a leaving worker, although its delivery is lost', async () => {
    const runner = createRunner(async () => {
      await clock.sleep(MINUTE_MS);
      throw new ToolError({ error_type: 'ExecutionError', error_message: 'It ended.' });
    });
    // Its connection is gone: nobody waits for what becomes of the handler.
    void runner.handle({ ...(await deliver()), class: 'once' }, new Slots(1));
    await clock.advance(1_000);
    runner.leave();
    let hasFinished = false;
    void runner.finish().then(() => (hasFinished = true));
    await clock.advance(30_000);
    expect(hasFinished).toBe(false);
    await clock.advance(MINUTE_MS);
    expect(hasFinished).toBe(true);
  });

  it('that waited this long for its turn is returned unclaimed', async () => {
    const slots = new Slots(1);
    let release = () => {};
    void slots.use(() => new Promise<void>((resolve) => (release = resolve)));
    const runner = createRunner(() => Promise.reject(new Error('must not run')));
    const body = await deliver();
    const handled = runner.handle(body, slots);
    await clock.advance(20 * MINUTE_MS);
    release();
    expect(await handled).toBe('ack');
    expect(await store.listClaims(body.tool_call_id)).toEqual([]);
  });

  it('whose deadline passed while it waited for its turn ends without having started', async () => {
    const slots = new Slots(1);
    let release = () => {};
    void slots.use(() => new Promise<void>((resolve) => (release = resolve)));
    const runner = createRunner(() => Promise.reject(new Error('must not run')));
    const deadline = new Date(clock.wall() + MINUTE_MS).toISOString();
    const body = { ...(await deliver()), deadline };
    const handled = runner.handle(body, slots);
    await clock.advance(2 * MINUTE_MS);
    release();
    expect(await handled).toBe('ack');
    expect(await store.getOutcome(body.tool_call_id)).toMatchObject({
      attempt: 0,
      error: { error_type: 'TimeoutError', error_details: { started: false } },
    });
  });

  it('whose conversation was removed meanwhile is not run again, although its claim is lost and won again', async () => {
    let starts = 0;
    const runner = createRunner(async () => {
      starts++;
      await store.removeTurns('conv_1', ['turn_1'], 'ids');
      throw new ToolConnectionLostError('It broke.');
    });
    const body = await deliver();
    const handled = runner.handle(body, new Slots(1));
    await clock.advance(MINUTE_MS);
    expect(await handled).toBe('ack');
    expect(starts).toBe(1);
    expect(await store.getOutcome(body.tool_call_id)).toBeNull();
    expect(await store.listClaims(body.tool_call_id)).toHaveLength(2);
  });
});
