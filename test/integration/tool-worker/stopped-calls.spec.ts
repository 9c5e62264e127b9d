import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { controlKey, type ToolCallBody } from '#contracts';
import { defineTool, defineToolset, Slots } from '#tools';
import { releaseCalls } from '#journal';
import { callId, callRow, openPorts, stepRow, TURN_ID, turnRow, type TestPorts } from '#journal/testing';
import type { CallRunner } from '../../../apps/tool-worker/run/call-runner.js';
import { createCallRunner } from '../../../apps/tool-worker/testing/create-call-runner.js';

const ID = callId(1);
const call: ToolCallBody = {
  tool_call_id: ID,
  turn_id: TURN_ID,
  conversation_id: 'conv_1',
  n: 1,
  user_id: 'ann',
  tool_name: 'math.add',
  arguments: {},
  class: 'idempotent',
  timeout_ms: 10_000,
  deadline: '2100-01-01T00:00:00.000Z',
  reply_to: 'orchestrator.1',
};

function gate() {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  return { isOpen, open };
}

/** A worker whose one tool runs until it is stopped; `at` is where it waits before it goes on. */
class SmallWorker {
  readonly runner: CallRunner;
  readonly claimed = gate();
  readonly mayStart = gate();
  readonly started = gate();
  readonly suspected = new Set<string>();

  constructor(
    readonly id: string,
    fleet: TestPorts,
  ) {
    const wait = defineTool({
      name: 'add',
      description: 'waits',
      input: z.strictObject({}),
      class: 'idempotent',
      timeoutMs: 10_000,
      run: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          this.started.open();
          signal.addEventListener('abort', () => reject(new Error('told to stop')));
        }),
    });
    const faultPoint = async (point: string) => {
      if (point !== 'call_claimed') return;
      this.claimed.open();
      await this.mayStart.isOpen;
    };
    const peers = { ...fleet.peers, isSuspect: async (other: string) => this.suspected.has(other) };
    const hosts = [defineToolset({ name: 'math', version: '1.0.0', tools: [wait] })];
    this.runner = createCallRunner({ ...fleet, me: id, peers, faultPoint }, hosts);
  }

  handle() {
    return this.runner.handle(call, new Slots(1));
  }
}

let ports: TestPorts;
let first: SmallWorker;
let second: SmallWorker;
let telling: Promise<unknown>[];

beforeEach(async () => {
  ports = await openPorts('gateway-1');
  [first, second] = [new SmallWorker('worker-1', ports), new SmallWorker('worker-2', ports)];
  second.suspected.add('worker-1');
  telling = [];
  const workers = new Map([first, second].map((worker) => [controlKey(worker.id), worker]));
  ports.recorded.answer = (to) => {
    const { message } = ports.recorded.sent.at(-1)!;
    const worker = workers.get(to);
    if (message.type === 'tool.cancel' && worker) telling.push(worker.runner.cancel(message.body));
    return 'confirmed';
  };
  await ports.store.insertTurn(turnRow());
  await ports.store.commitStep(stepRow(1, { calls: [callRow(1, { class: 'idempotent' })] }));
});
afterEach(() => ports.store.close());

const outcome = () => ports.store.getOutcome(ID);
const stopTheTurn = () => ports.store.commitStep(stepRow(2, { kind: 'cancel' }));

/** What a gateway that stops the turn does about its calls, or the sweeper after it. */
async function release(): Promise<void> {
  await releaseCalls(ports, (await ports.store.readJournal(TURN_ID))!);
  for (let told = telling.shift(); told; told = telling.shift()) await told;
}

const cancelled = (started: boolean) => ({
  status: 'failure',
  error: { error_type: 'Cancelled', error_details: { started } },
});

describe('a stopped call that another worker claimed again because of a false suspicion', () => {
  it('is left to the worker that runs it, which is notified', async () => {
    first.mayStart.open();
    const handled = first.handle();
    await first.started.isOpen;
    await stopTheTurn();
    expect(await second.handle()).toBe('ack');
    await handled;
    expect((await ports.store.listClaims(ID)).map(({ owner }) => owner)).toEqual(['worker-1', 'worker-2']);
    expect(await outcome()).toMatchObject({ ...cancelled(true), worker: 'worker-1' });
  });

  it('never ran when neither of the two had started it', async () => {
    const handled = first.handle();
    await first.claimed.isOpen;
    const again = second.handle();
    await second.claimed.isOpen;
    await stopTheTurn();
    await release();
    first.mayStart.open();
    await handled;
    expect(await outcome()).toBeNull();
    second.mayStart.open();
    await again;
    await release();
    expect(await outcome()).toMatchObject(cancelled(false));
  });

  it('ends as unknown when the other worker is dead, even if it dies later', async () => {
    const handled = first.handle();
    await first.claimed.isOpen;
    await stopTheTurn();
    expect(await second.handle()).toBe('ack');
    await release();
    expect(await outcome()).toBeNull();
    ports.dead.add('worker-1');
    await release();
    expect(await outcome()).toMatchObject({
      error: { error_type: 'OutcomeUnknown' },
      worker: 'worker-2',
      attempt: 2,
    });
    first.mayStart.open();
    await handled;
  });
});

describe('a stopped call that another worker claimed again before it died', () => {
  it('is left to the first worker, which lives', async () => {
    first.mayStart.open();
    const handled = first.handle();
    await first.started.isOpen;
    void second.handle();
    await second.claimed.isOpen;
    ports.dead.add('worker-2');
    await stopTheTurn();
    await release();
    await handled;
    expect(await outcome()).toMatchObject({ ...cancelled(true), worker: 'worker-1' });
  });
});

describe('Stop of a call that this worker does not hold', () => {
  it('does nothing while its turn continues', async () => {
    const handled = first.handle();
    await first.claimed.isOpen;
    await second.runner.cancel({ tool_call_id: ID, turn_id: TURN_ID });
    await second.runner.cancel({ tool_call_id: ID, turn_id: 'turn_9' });
    expect(telling).toEqual([]);
    await first.runner.cancel({ tool_call_id: ID, turn_id: TURN_ID });
    first.mayStart.open();
    await handled;
    expect(await outcome()).toMatchObject(cancelled(false));
  });
});
