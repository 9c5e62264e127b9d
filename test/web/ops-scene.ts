import { newMessage, switchIdOf, type Call, type ProcessLoad } from '#contracts';
import {
  answerRow,
  callId,
  callRow,
  claimRow,
  CONVERSATION_ID,
  outcomeRow,
  stepRow,
  TURN_ID,
  turnRow,
} from '#journal/testing';
import { systemTime } from '#time';
import { announcedTool, announcedToolset } from '../../libs/tools/testing/toolsets.js';
import { waitFor } from '../services/wait-for.js';
import { DRIVER_ID, GATEWAY_ID, type Harness } from '../integration/gateway/gateway-harness.js';

/** In everything that people, models and tools write. */
export const CONTENT = 'PLANTED';
/** The turn whose call waits in the queue of `warehouse`. */
export const WAITING_TURN = TURN_ID;
export const LOST_WORKER = 'worker-5e0f5d5c-dead-4000-8000-000000000009';

const QUEUED_CALLS = 41;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const workerId = (number: number) =>
  `worker-${['7c1de2a4', '0f93b6c8', 'd41a77e0', '91b2c35d'][number - 1]}-51f0-4000-8000-000000000001`;
const loadOf = (name: string, running: number, slots: number, per_second: number): ProcessLoad => ({
  toolsets: { [name]: { running, slots, per_second } },
});

const DRAINING = 'orchestrator-2b9e4c11-0c5d-4000-8000-000000000003';

const MODELS: NonNullable<ProcessLoad['models']> = {
  anthropic: {
    ...{ requests_limit: 600, requests_left: 412, tokens_limit: 2_000_000, tokens_left: -310 },
    ...{ streams_limit: 40, streams: 3, waiting: 2 },
  },
  'openai/gpt-6': { waiting: 0, paused_ms: 12_000 },
};

const PROCESSES: { id: string; role: 'gateway' | 'orchestrator' | 'worker'; load: ProcessLoad }[] = [
  { id: GATEWAY_ID, role: 'gateway', load: { sockets: 12, viewers: 9 } },
  { id: DRIVER_ID, role: 'orchestrator', load: { turns: 3, models: MODELS } },
  {
    id: DRAINING,
    role: 'orchestrator',
    load: { turns: 0, draining: true },
  },
  { id: workerId(1), role: 'worker', load: loadOf('warehouse', 4, 4, 1.4) },
  { id: workerId(2), role: 'worker', load: loadOf('orders', 3, 16, 1.4) },
  { id: workerId(3), role: 'worker', load: loadOf('orders', 1, 16, 0.8) },
  { id: workerId(4), role: 'worker', load: loadOf('math', 0, 16, 0.2) },
  { id: LOST_WORKER, role: 'worker', load: loadOf('mail', 0, 8, 0) },
];

/** A small fleet in which something is wrong with most things, and content wherever a row can hold some. */
export async function plantFleet(harness: Harness): Promise<void> {
  const { store } = harness;
  for (const [i, { id, role, load }] of PROCESSES.entries()) {
    const version = i === 5 ? '0.1.9' : '0.2.0';
    const row = { host: `node-${(i % 3) + 1}`, beat: 0, version, started_at: ago(3_600_000 * (i + 1)) };
    await store.insertProcess({ _id: id, role, ...row });
    await store.beat(id, load);
  }
  const drain = { kind: 'process' as const, name: DRAINING, by: 'olga', reason: 'New disk for node-3' };
  await store.putSwitch({ _id: switchIdOf('process', DRAINING), ...drain, at: ago(1_200_000) });
  await announceToolsets(harness);
  await plantTurns(harness);
  await plantLetters(harness);
  await plantUsage(harness);
  await queueCalls(harness);
}

/** As living processes do; the lost one stands still. */
export async function beatOnce({ store }: Harness): Promise<void> {
  for (const { id, load } of PROCESSES) if (id !== LOST_WORKER) await store.beat(id, load);
}

async function announceToolsets({ driver, running }: Harness): Promise<void> {
  const announce = (worker: string, ...toolsets: ReturnType<typeof announcedToolset>[]) =>
    driver.send('gateway.all', newMessage(systemTime(), 'catalog.announce', { worker, toolsets }));
  const tool = (server: string, name: string, toolClass: Call['class'], text = CONTENT) => ({
    ...announcedTool(server, name, text),
    class: toolClass,
  });
  await announce(
    workerId(1),
    announcedToolset('warehouse', [tool('warehouse', 'reserve', 'keyed')], '1.0.0', 'mcp'),
  );
  const search = tool('orders', 'search', 'read');
  await announce(
    workerId(2),
    announcedToolset('orders', [search, tool('orders', 'refund', 'once')], '1.0.0', 'mcp'),
  );
  const newRefund = tool('orders', 'refund', 'once', `${CONTENT} again`);
  await announce(workerId(3), announcedToolset('orders', [search, newRefund], '1.1.0', 'mcp'));
  await announce(workerId(4), announcedToolset('math', [tool('math', 'add', 'read')]));
  await announce(LOST_WORKER, announcedToolset('mail', [tool('mail', 'send', 'once')]));
  const { offeredTools } = running.gateway;
  await waitFor(() => offeredTools.listToolsets().length === 4, { what: 'the toolsets' });
  offeredTools.withdraw({ worker: LOST_WORKER });
}

/** One turn that waits for a busy toolset, and one that waits for a worker that is not there. */
async function plantTurns({ store }: Harness): Promise<void> {
  const row = {
    title: CONTENT,
    policy: 'enqueue' as const,
    created_at: ago(90_000),
    updated_at: ago(90_000),
  };
  await store.insertConversation({ _id: CONVERSATION_ID, user_id: 'mira', ...row });
  await store.insertConversation({ _id: 'conv_2', user_id: 'jon', ...row });
  const due_at = Date.now() + 600_000;
  const blocks = [{ type: 'text' as const, text: CONTENT }];
  const call = (n: number, tool_name: string, toolClass: Call['class'] = 'read') =>
    callRow(n, { tool_name, class: toolClass, arguments: { text: CONTENT }, timeout_ms: 300_000 });
  const calls = [
    call(1, 'orders.search'),
    call(2, 'orders.refund', 'once'),
    call(3, 'warehouse.reserve', 'keyed'),
  ];
  const step = { blocks, stop_reason: 'tool_use' as const };

  await store.insertTurn({ ...turnRow(), user_id: 'mira', content: CONTENT, at: ago(47_000), due_at });
  await store.claim({ ...claimRow(TURN_ID, DRIVER_ID), at: ago(46_980) });
  await store.commitStep(stepRow(1, { ...step, calls, at: ago(44_600) }));
  await store.claim({ ...claimRow(callId(1), workerId(2)), at: ago(44_300) });
  await store.settle(
    outcomeRow(1, { worker: workerId(2), data: { text: CONTENT }, duration_ms: 308, at: ago(43_900) }),
  );
  await store.claim({ ...claimRow(callId(2), workerId(3)), at: ago(44_200) });
  const question = { message: CONTENT, schema: {}, expires_at: ago(-60_000) };
  await store.answer(answerRow(2, { _id: `${callId(2)}:question`, question, at: ago(43_800) }));
  const error = { error_type: 'ToolExecutionError', error_message: CONTENT };
  const failure = { status: 'failure' as const, data: null, error, explanation: CONTENT };
  await store.settle(outcomeRow(2, { ...failure, worker: workerId(3), duration_ms: 1_204, at: ago(42_900) }));

  const other = { turn_id: 'turn_2', conversation_id: 'conv_2' };
  const turn = { ...turnRow(2), _id: 'turn_2', conversation_id: 'conv_2', number: 1, user_id: 'jon' };
  await store.insertTurn({ ...turn, content: CONTENT, at: ago(72_000), due_at });
  await store.claim({ ...claimRow('turn_2', DRIVER_ID), ...other, at: ago(71_000) });
  const mail = { ...step, ...other, _id: 'turn_2:1', calls: [call(4, 'mail.send', 'once')], at: ago(70_000) };
  await store.commitStep(stepRow(1, mail));
}

async function plantLetters({ store }: Harness): Promise<void> {
  const hint = newMessage(systemTime(), 'turn.advance', {
    turn_id: TURN_ID,
    conversation_id: CONVERSATION_ID,
  });
  // As an earlier version kept it: the whole message.
  const call = { ...hint, type: 'tool.call', body: callBody({ arguments: { text: CONTENT } }) };
  const letters = [
    { queue: 'tools.warehouse', reason: 'delivery_limit', content: JSON.stringify(call), turn_id: TURN_ID },
    { queue: 'turns', reason: `rejected: handler failed: Error: ${CONTENT}`, content: JSON.stringify(hint) },
    { queue: 'tools.mail', reason: 'rejected: not JSON', content: '' },
  ];
  for (const [i, letter] of letters.entries()) {
    const row = {
      _id: `letter_${i + 1}`,
      message_id: hint.id,
      size: 1_400 * (i + 1),
      at: ago(30_000 * (i + 1)),
    };
    await store.putDeadLetter({ ...row, ...letter });
  }
}

async function plantUsage({ store }: Harness): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  for (const [i, user_id] of ['mira', 'jon', 'ida'].entries()) {
    const share = i + 1;
    await store.addUsage({
      _id: `usage_${share}`,
      user_id,
      day,
      conversation_id: `conv_${share}`,
      model: 'anthropic/claude-sonnet-5-5',
      input_tokens: Math.round(310_400 / share),
      output_tokens: Math.round(14_020 / share),
      cached_tokens: Math.round(120_000 / share),
      cost: 4.2 / share,
      counted_to: 1,
    });
  }
}

/** Nobody takes them: the queue is declared by a consumer that is gone. */
async function queueCalls({ driver }: Harness): Promise<void> {
  const consumer = await driver.consume('tools.warehouse', { prefetch: 1 }, async () => 'ack');
  await consumer.stop(0);
  for (let i = 0; i < QUEUED_CALLS; i++) {
    const body = callBody({ tool_call_id: callId(100 + i), tool_name: 'warehouse.reserve' });
    await driver.publish('tools.warehouse', newMessage(systemTime(), 'tool.call', body));
  }
}

function callBody(change: {
  tool_call_id?: string;
  tool_name?: string;
  arguments?: Record<string, unknown>;
}) {
  return {
    tool_call_id: callId(3),
    turn_id: TURN_ID,
    conversation_id: CONVERSATION_ID,
    n: 1,
    user_id: 'mira',
    tool_name: 'warehouse.reserve',
    arguments: { text: CONTENT },
    class: 'keyed' as const,
    timeout_ms: 300_000,
    deadline: ago(-300_000),
    reply_to: DRIVER_ID.replace('-', '.'),
    ...change,
  };
}
