import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  completeResult,
  newMessage,
  type LedgerAnswered,
  type LedgerRequestType,
  type Message,
  type ToolResult,
} from '#contracts';
import {
  CONVERSATION_ID,
  callRow,
  openPorts,
  stepRow,
  TURN_ID,
  turnRow,
  type TestPorts,
} from '#journal/testing';
import { makeArtifact, MAX_INLINE_BYTES } from '#tools';
import { Ledger } from './ledger.js';

const GROUP = { name: 'lab', toolsets: ['math'] };
const WORKER = 'worker-lab--1';

let ports: TestPorts;
let ledger: Ledger;
/** Bytes that the operator allows; undefined: the default. */
let allowed: number | undefined;
let settled: string[];
beforeEach(async () => {
  allowed = undefined;
  settled = [];
  ports = await openPorts('orchestrator-1');
  const metrics = { ledgerRequests: { inc: () => {} }, ledgerDrops: { inc: () => {} } };
  const outputBytesOf = () => allowed;
  const { switches } = ports;
  ledger = await Ledger.open({
    ports,
    groups: [GROUP],
    switches,
    workersOf: () => 1,
    outputBytesOf,
    onSettled: (outcome) => settled.push(outcome._id),
    metrics,
  });
  const { store } = ports;
  await store.insertTurn(turnRow());
  await store.commitStep(stepRow(1, { calls: [callRow(1)] }));
});

async function ask(type: LedgerRequestType, fields: object): Promise<LedgerAnswered> {
  const body = { request_id: ports.random.id(), worker: WORKER, ...fields };
  await ledger.serve(newMessage(ports, type as 'ledger.leave', body) as Message<'ledger.leave'>);
  return ports.recorded.bodies('ledger.answered').at(-1)![1];
}

const ticket = () => {
  const { tool_call_id, tool_name } = callRow(1);
  const ids = { tool_call_id, turn_id: TURN_ID, conversation_id: CONVERSATION_ID, n: 1, user_id: 'user_1' };
  const call = { ...ids, tool_name, class: 'once' as const, reply_to: 'orchestrator.1' };
  return { ...call, token: ledger.tokenOf(call)! };
};

async function settle(result: ToolResult, artifacts?: object[]) {
  await ask('ledger.claim', { call: ticket(), attempt: 1 });
  const told = { attempt: 1, duration_ms: 1, at: new Date().toISOString(), artifacts };
  const answer = await ask('ledger.settle', { call: ticket(), ...told, result: completeResult(result) });
  const outcome = (await ports.store.listOutcomes([TURN_ID]))[0];
  return { answer, outcome };
}

describe('a result that a worker settles', () => {
  it('is cut to what the model may get, and kept whole', async () => {
    const text = 'x'.repeat(100_000);
    const { outcome } = await settle({ status: 'success', data: { text } });
    expect(Buffer.byteLength(outcome!.data!.text as string)).toBeLessThanOrEqual(MAX_INLINE_BYTES);
    expect(outcome!.artifacts).toMatchObject([{ size: 100_000, whole: true }]);
    const kept = await ports.store.getArtifact(outcome!.artifacts![0]!.id);
    expect(Buffer.from(kept!.content, 'base64').toString()).toBe(text);
  });

  it('is cut to what the operator allows for the tool', async () => {
    allowed = 2_048;
    const { outcome } = await settle({ status: 'success', data: { text: 'x'.repeat(3_000) } });
    expect(Buffer.byteLength(outcome!.data!.text as string)).toBeLessThanOrEqual(2_048);
  });

  it('stays as the worker has bounded it, with the ids of its artifacts', async () => {
    const artifact = { id: `art_${'a'.repeat(32)}`, content_type: 'text/plain', size: 5 };
    const artifacts = Array.from({ length: 33 }, () => artifact);
    const room = MAX_INLINE_BYTES - Buffer.byteLength(JSON.stringify({ values: '' }));
    const data = { values: 'x'.repeat(room), artifacts: artifacts.map(({ id }) => id) };
    const { outcome } = await settle({ status: 'success', data }, artifacts);
    expect(outcome).toMatchObject({ data, artifacts });
  });

  it('is handed to its driver in this process before the message, and the sent call is not read again', async () => {
    let steps = 0;
    const getStep = ports.store.getStep.bind(ports.store);
    ports.store.getStep = (...asked) => (steps++, getStep(...asked));
    const step = (await getStep(TURN_ID, 1))!;
    const { token: _token, ...sent } = ticket();
    ledger.tokenOf(sent, { step, call: step.calls[0]! });
    const toDriver = ports.recorded.bodies('tool.result').length;
    await settle({ status: 'success', data: { value: 1 } });
    expect([steps, settled]).toEqual([0, [callRow(1).tool_call_id]]);
    expect(ports.recorded.bodies('tool.result')).toHaveLength(toDriver + 1);
  });

  it('has an error of a known type, no longer than one may be', async () => {
    const error = { error_type: 'Odd', error_message: 'x'.repeat(100_000) };
    const { outcome } = await settle({ status: 'failure', error });
    expect(outcome!.error).toMatchObject({ error_type: 'ToolExecutionError' });
    expect(outcome!.error!.error_message).toHaveLength(8_192);
  });

  it('that contradicts itself is a failure', async () => {
    const error = { error_type: 'TimeoutError', error_message: 'Too late.' };
    const { outcome } = await settle({ status: 'success', data: {}, error } as unknown as ToolResult);
    expect(outcome).toMatchObject({ status: 'failure', error: { error_type: 'ToolExecutionError' } });
  });
});

describe('a request that cannot be read', () => {
  it('is refused with the reason', async () => {
    const reason = 'body: attempt: is required';
    expect(await ask('ledger.unreadable', { reason })).toMatchObject({ refused: reason });
  });
});

describe('a worker that asks for too much', () => {
  const question = (message: string) => ({
    ...{ call: ticket(), message, after: 0, expire_ms: 1_000 },
    schema: { type: 'object', properties: { a: { type: 'string' } } },
  });

  it('ends no call as a success that nobody has claimed', async () => {
    const result = completeResult({ status: 'success', data: {} });
    expect(await ask('ledger.refuse', { call: ticket(), result, unclaimed: false })).toHaveProperty(
      'refused',
    );
    expect(await ports.store.listOutcomes([TURN_ID])).toEqual([]);
  });

  it('asks at most 100 questions of a call, and none of one that has ended', async () => {
    const numbers = [];
    for (let i = 1; i <= 100; i++)
      numbers.push((await ask('ledger.ask', question(`Question ${i}`))).ask?.number);
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
    expect(await ask('ledger.ask', question('One more'))).toHaveProperty('refused');
    await settle({ status: 'success', data: {} });
    expect(await ask('ledger.ask', question('Question 1'))).toMatchObject({ refused: 'The call has ended.' });
  });

  it('gives up no question that was never asked', async () => {
    const reply = { call: ticket(), number: 1, give_up: true };
    expect(await ask('ledger.reply', reply)).toHaveProperty('refused');
    await ask('ledger.ask', question('Question 1'));
    expect(await ask('ledger.reply', reply)).toMatchObject({ reply: { answer: { action: 'cancel' } } });
  });

  it('keeps no artifact for a call that has ended', async () => {
    await settle({ status: 'success', data: {} });
    const { _id, content, content_type, size, hash } = makeArtifact(
      { ...ticket(), user_id: 'user_1' },
      { content: 'late', contentType: 'text/plain' },
      new Date(0).toISOString(),
    );
    const { turn_id, conversation_id, tool_call_id } = ticket();
    const artifact = { _id, content_type, size, hash, turn_id, conversation_id, tool_call_id };
    const answer = await ask('ledger.artifact', { call: ticket(), artifact, part: 0, parts: 1, content });
    expect(answer).toMatchObject({ artifact: { next: 1 } });
    expect(await ports.store.getArtifact(_id)).toBeNull();
  });

  it('has as many rows as a group may have workers, and tells only of its own toolsets', async () => {
    const beat = (worker: string, number: number, load?: object) =>
      ask('ledger.beat', {
        ...{ worker, number, host: 'h', version: '1', toolsets: ['math'], load },
        started_at: new Date(0).toISOString(),
      });
    for (let i = 0; i < 200; i++) await beat(`worker-lab--${i}`, 0);
    expect(await beat('worker-lab--new', 0)).toHaveProperty('refused');
    const pace = { running: 1, slots: 2, per_second: 0 };
    await beat('worker-lab--7', 1, { turns: 9, toolsets: { math: pace, other: pace } });
    const rows = await ports.store.listProcesses();
    expect(rows).toHaveLength(200);
    expect(rows.find(({ _id }) => _id === 'worker-lab--7')?.load).toEqual({ toolsets: { math: pace } });
    for (let i = 0; i < 5; i++) ports.dead.add(`worker-lab--${i}`);
    jest.spyOn(ports.clock, 'now').mockReturnValue(ports.clock.now() + 10_000);
    await beat('worker-lab--new', 0);
    expect((await beat('worker-lab--new', 0)).beat).toMatchObject({ known: 'beaten' });
  });
});
