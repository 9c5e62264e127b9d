import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Outcome, ToolCallBody } from '#contracts';
import type { Store } from '#store';
import { SeededRandom, VirtualClock } from '#time/testing';
import { defineTool, defineToolset, Slots } from '#tools';
import { callRow, claimRow, openPorts, stepRow, type TestPorts } from '#journal/testing';
import { createCallRunner } from '../testing/create-call-runner.js';

const MINUTE_MS = 60_000;

let clock: VirtualClock;
let ports: TestPorts;
/** Ids of the calls that the tool has run. */
let ran: string[];
beforeEach(async () => {
  const random = new SeededRandom(1);
  clock = new VirtualClock(random);
  ports = await openPorts('worker-1', { clock, random });
  ran = [];
  const calls = [1, 2, 3].map((number) => callRow(number, { class: 'read' }));
  await ports.store.commitStep(stepRow(1, { calls, stop_reason: 'tool_use' }));
});
afterEach(() => ports.store.close());

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({}),
  class: 'read',
  timeoutMs: MINUTE_MS,
  run: async (_args, { toolCallId }) => {
    ran.push(toolCallId);
    return '5';
  },
});

/** Hands the worker a call; `over` stands before its store. */
function createWorker({
  over = {},
  callsPerHour = 1_000,
}: { over?: Partial<Store>; callsPerHour?: number } = {}) {
  const store = new Proxy(ports.store, {
    get: (target, name) =>
      Reflect.get(over, name) ?? (Reflect.get(target, name) as () => unknown).bind(target),
  });
  const math = defineToolset({ name: 'math', version: '1.0.0', tools: [add] });
  const rate = { calls: callsPerHour, perMs: 60 * MINUTE_MS };
  const runner = createCallRunner({ ...ports, store }, [math], { rate });
  const slots = new Slots(1);
  return (number: number) => runner.handle(bodyOf(number), slots);
}

function bodyOf(number: number): ToolCallBody {
  const { tool_call_id, tool_name, arguments: args, timeout_ms } = callRow(number);
  return {
    tool_call_id,
    turn_id: 'turn_1',
    conversation_id: 'conv_1',
    n: 1,
    user_id: 'ann',
    tool_name,
    arguments: args,
    class: 'read',
    timeout_ms,
    deadline: new Date(clock.wall() + MINUTE_MS).toISOString(),
    reply_to: 'orchestrator.1',
  };
}

const idOf = (number: number) => bodyOf(number).tool_call_id;
const hinted = () => ports.recorded.bodies('tool.result').map(([to]) => to);

describe('the result of a call', () => {
  it('is neither published nor acknowledged before the store has its outcome', async () => {
    let confirm = () => {};
    const confirmed = new Promise<void>((resolve) => (confirm = resolve));
    const settle = async (outcome: Outcome) => {
      await confirmed;
      return ports.store.settle(outcome);
    };
    let isAcknowledged = false;
    const handled = createWorker({ over: { settle } })(1).finally(() => (isAcknowledged = true));
    await clock.advance(MINUTE_MS);
    expect([ran, hinted(), isAcknowledged]).toEqual([[idOf(1)], [], false]);
    confirm();
    expect(await handled).toBe('ack');
    expect(hinted()).toEqual(['orchestrator.1']);
  });

  it.each(['returned', 'refused', 'unknown'] as const)(
    'is sent to any orchestrator when the one that asked cannot be reached (%s)',
    async (answer) => {
      ports.recorded.answer = (to) => (to === 'results' ? 'confirmed' : answer);
      expect(await createWorker()(1)).toBe('ack');
      expect(hinted()).toEqual(['orchestrator.1', 'results']);
    },
  );
});

describe('the rate limit of a tool', () => {
  it('is not used up by copies of a call that another worker has claimed', async () => {
    await ports.store.claim(claimRow(idOf(1), 'worker-2'));
    const handle = createWorker({ callsPerHour: 1 });
    for (let copy = 0; copy < 3; copy++) expect(await handle(1)).toBe('ack');
    expect(ran).toEqual([]);
    await handle(2);
    expect(ran).toEqual([idOf(2)]);
  });

  it('counts a call that is taken over from a dead worker', async () => {
    await ports.store.claim(claimRow(idOf(1), 'worker-2'));
    ports.dead.add('worker-2');
    const handle = createWorker({ callsPerHour: 1 });
    await handle(1);
    await handle(2);
    expect(ran).toEqual([idOf(1)]);
    expect((await ports.store.getOutcome(idOf(2)))?.error?.error_type).toBe('ApiLimitExceeded');
  });
});
