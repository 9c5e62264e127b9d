import { beforeEach, describe, expect, it } from '@jest/globals';
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
import { MAX_INLINE_BYTES } from '#tools';
import { Ledger } from './ledger.js';

const GROUP = { name: 'lab', toolsets: ['math'] };
const WORKER = 'worker-lab--1';

let ports: TestPorts;
let ledger: Ledger;
/** Bytes that the operator allows; undefined: the default. */
let allowed: number | undefined;
beforeEach(async () => {
  allowed = undefined;
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
