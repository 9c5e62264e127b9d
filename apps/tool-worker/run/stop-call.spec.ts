import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { ConversationEvent, Message, ToolCallBody } from '#contracts';
import type { Bus } from '#messaging';
import { createStore, type Inserted, type Store } from '#store';
import { defineTool, defineToolset, Slots } from '#tools';
import { testPorts } from '#journal/testing';
import { createCallRunner } from '../testing/create-call-runner.js';
import type { CallRunner } from './call-runner.js';

const call: ToolCallBody = {
  tool_call_id: `call_${'1'.padStart(22, '0')}`,
  turn_id: 'turn_1',
  conversation_id: 'conv_1',
  n: 1,
  user_id: 'ann',
  tool_name: 'test.hold',
  arguments: {},
  class: 'once',
  timeout_ms: 10_000,
  deadline: new Date(Date.now() + 60_000).toISOString(),
  reply_to: 'orchestrator-1',
};

let store: Store;
let events: ConversationEvent[];
let starts: number;
let held: { until: Promise<void>; go: () => void };

beforeEach(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
  events = [];
  starts = 0;
  held = gate();
});
afterEach(() => store.close());

function gate() {
  let go = () => {};
  const until = new Promise<void>((resolve) => (go = resolve));
  return { until, go };
}

/** A worker with one tool that holds until it is stopped; `over` stands before its store. */
function createRunner(over: Partial<Store> = {}): CallRunner {
  const hold = defineTool({
    name: 'hold',
    description: 'holds',
    input: z.strictObject({}),
    class: 'once',
    timeoutMs: 10_000,
    run: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        starts++;
        held.go();
        signal.addEventListener('abort', () => reject(new Error('told to stop')));
      }),
  });
  const bus = {
    emit: (event: ConversationEvent) => void events.push(event),
    send: async (_key: string, _message: Message) => 'confirmed',
  } as Partial<Bus> as Bus;
  const answering = new Proxy(store, {
    get: (target, name) => {
      const own = over[name as keyof Store];
      return own ?? (target[name as keyof Store] as (...args: unknown[]) => unknown).bind(target);
    },
  });
  const ports = testPorts({ store: answering, bus, me: 'worker-1' });
  const hosts = [defineToolset({ name: 'test', version: '1.0.0', tools: [hold] })];
  return createCallRunner(ports, hosts);
}

describe('Stop', () => {
  it('ends a running call as Cancelled, having started', async () => {
    const runner = createRunner();
    const handled = runner.handle(call, new Slots(1));
    await held.until;
    void runner.cancel(call);
    expect(await handled).toBe('ack');
    const error = { error_type: 'Cancelled', error_details: { started: true } };
    expect(await store.getOutcome(call.tool_call_id)).toMatchObject({ status: 'failure', error });
  });

  it('is not lost while the store confirms the claim: the tool never starts', async () => {
    const confirming = gate();
    const claimed = gate();
    const runner = createRunner({
      claim: async (row): Promise<Inserted<typeof row>> => {
        const inserted = await store.claim(row);
        claimed.go();
        await confirming.until;
        return inserted;
      },
    });
    const handled = runner.handle(call, new Slots(1));
    await claimed.until;
    void runner.cancel(call);
    confirming.go();
    expect(await handled).toBe('ack');
    expect(starts).toBe(0);
    const error = { error_type: 'Cancelled', error_details: { started: false } };
    expect(await store.getOutcome(call.tool_call_id)).toMatchObject({ status: 'failure', error, attempt: 1 });
    expect(events.map(({ type }) => type)).toEqual(['tool_error']);
  });

  it('is ignored for a call that this worker does not have', async () => {
    await createRunner().cancel(call);
    expect(await store.getOutcome(call.tool_call_id)).toBeNull();
  });
});
