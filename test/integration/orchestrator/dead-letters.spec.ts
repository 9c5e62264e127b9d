import { describe, expect, it } from '@jest/globals';
import { encodeMessage, newMessage, type Message } from '#contracts';
import type { DeadDelivery } from '#messaging';
import {
  callId,
  callRow,
  claimRow,
  CONVERSATION_ID,
  openPorts,
  stepRow,
  TURN_ID,
  turnRow,
  type TestPorts,
} from '#journal/testing';
import { systemTime } from '#time';
import { keepDeadLetter } from '../../../apps/orchestrator/sweep/keep-dead-letter.js';

const hintOf = (): Message =>
  newMessage(systemTime(), 'turn.advance', { turn_id: TURN_ID, conversation_id: CONVERSATION_ID });

function dead(queue: string, message: unknown, reason = 'rejected'): DeadDelivery {
  const content = Buffer.isBuffer(message) ? message : encodeMessage(message as Message);
  return { queue, reason, messageId: (message as { id?: string }).id ?? 'none', content };
}

function callBody(number = 1) {
  return { tool_call_id: callId(number), turn_id: TURN_ID, conversation_id: CONVERSATION_ID };
}

async function openTurn(): Promise<TestPorts> {
  const ports = await openPorts('orchestrator-1');
  await ports.store.insertTurn(turnRow());
  return ports;
}

describe('a dead-lettered hint', () => {
  it('is stored with its reason and turn, and sent again', async () => {
    const ports = await openTurn();
    const letter = dead('turns', hintOf(), 'delivery_limit');
    await keepDeadLetter(ports, letter);
    expect(await ports.store.listDeadLetters(10)).toMatchObject([
      { queue: 'turns', reason: 'delivery_limit', turn_id: TURN_ID, content: letter.content.toString() },
    ]);
    expect(ports.recorded.bodies('turn.advance')).toEqual([
      ['turns', { turn_id: TURN_ID, conversation_id: CONVERSATION_ID }],
    ]);
  });

  it('of another version is sent again in the current version', async () => {
    const ports = await openTurn();
    await keepDeadLetter(ports, dead('turns', { ...hintOf(), version: '2.0.0' }));
    expect(ports.recorded.sent.map(({ message }) => message.version)).toEqual(['1.0.0']);
  });

  it('ends the turn as failed when four in a row die, so that poison does not circulate for ever', async () => {
    const ports = await openTurn();
    for (let death = 1; death <= 4; death++) await keepDeadLetter(ports, dead('turns', hintOf()));
    expect(ports.recorded.bodies('turn.advance')).toHaveLength(3);
    const journal = await ports.store.readJournal(TURN_ID);
    expect(journal?.steps).toMatchObject([{ kind: 'fail', n: 1, error: { code: 'internal' } }]);
    expect(ports.recorded.events).toMatchObject([{ type: 'error', turn_id: TURN_ID, code: 'internal' }]);
    await keepDeadLetter(ports, dead('turns', hintOf()));
    expect(ports.recorded.bodies('turn.advance')).toHaveLength(3);
  });

  it('does not count deaths before the turn last progressed', async () => {
    const ports = await openTurn();
    for (let death = 1; death <= 3; death++) await keepDeadLetter(ports, dead('turns', hintOf()));
    await ports.store.commitStep(stepRow(1, { calls: [callRow(1)], at: new Date().toISOString() }));
    await keepDeadLetter(ports, dead('turns', hintOf()));
    expect((await ports.store.readJournal(TURN_ID))?.steps.map(({ kind }) => kind)).toEqual(['model']);
  });

  it('is stored although its turn cannot be read', async () => {
    const ports = await openTurn();
    const broken = async () => Promise.reject(new SyntaxError('a row is broken'));
    const store = new Proxy(ports.store, {
      get: (target, name) =>
        name === 'readJournal' ? broken : (Reflect.get(target, name, target) as () => unknown).bind(target),
    });
    await keepDeadLetter({ ...ports, store }, dead('turns', hintOf()));
    expect(await ports.store.listDeadLetters(10)).toHaveLength(1);
  });
});

describe('a dead-lettered call', () => {
  const tooDeep = JSON.parse('['.repeat(40) + ']'.repeat(40)) as unknown;
  it.each([
    ['whose tool no worker has', { body: callBody() }],
    ['of another version', { version: '2.0.0', body: callBody() }],
    ['that is too deep', { body: { ...callBody(), arguments: tooDeep } }],
    ['that is too large', { body: { ...callBody(), arguments: 'x'.repeat(2_000_000) } }],
  ])('%s is settled as failed under a claim, so that it can never start', async (_what, message) => {
    const ports = await openTurn();
    await ports.store.commitStep(stepRow(1, { calls: [callRow(1)] }));
    await keepDeadLetter(ports, dead('tools.math', message, 'rejected: handler failed: Error: secret'));
    const [claim] = await ports.store.listClaims(callId(1));
    expect(claim).toMatchObject({ n: 1, purpose: 'settle' });
    const outcome = await ports.store.getOutcome(callId(1));
    expect(outcome?.error).toMatchObject({ error_type: 'ToolExecutionError' });
    expect(outcome?.error?.error_message).not.toContain('secret');
    expect(ports.recorded.events).toMatchObject([{ type: 'tool_error', tool_call_id: callId(1) }]);
    expect(ports.recorded.bodies('turn.advance')).toHaveLength(1);
    const [letter] = await ports.store.listDeadLetters(1);
    expect(letter!.content).not.toContain('xxx');
    expect(letter!.reason).toBe('rejected: handler failed: Error');
    expect(letter!.content.length).toBeLessThanOrEqual(1024);
    expect(letter!.size).toBeGreaterThan(0);
  });

  it('that was claimed is left to its owner', async () => {
    const ports = await openTurn();
    await ports.store.commitStep(stepRow(1, { calls: [callRow(1)] }));
    await ports.store.claim(claimRow(callId(1), 'worker-1'));
    await keepDeadLetter(ports, dead('tools.math', { body: callBody() }));
    expect(await ports.store.getOutcome(callId(1))).toBeNull();
  });
});

describe('the stored part of a dead message', () => {
  it('consists of ids, times and sizes: no argument, no result, no text of a user or a tool', async () => {
    const ports = await openTurn();
    const call = newMessage(systemTime(), 'tool.call', {
      ...callBody(),
      n: 1,
      user_id: 'ann',
      tool_name: 'math.add',
      arguments: { note: 'private' },
      class: 'read',
      timeout_ms: 1_000,
      deadline: '2026-03-01T10:00:00.000Z',
      reply_to: 'orchestrator.1',
    });
    await keepDeadLetter(ports, dead('tools.math', call, 'delivery_limit'));
    const [letter] = await ports.store.listDeadLetters(1);
    const { user_id: _user, arguments: args, ...ids } = call.body as Record<string, unknown>;
    const { traceparent: _trace, ...envelope } = call;
    expect(JSON.parse(letter!.content)).toEqual({
      ...envelope,
      body: { ...ids, arguments_bytes: JSON.stringify(args).length },
    });
    const result = { status: 'failure', error: { error_type: 'X', error_message: 'private' } };
    const broken = {
      ...call,
      type: 'private',
      body: { ...ids, ...result, explanation: 'private', more: 'private' },
    };
    await keepDeadLetter(ports, dead('results', broken, 'rejected'));
    const letters = await ports.store.listDeadLetters(10);
    expect(letters).toHaveLength(2);
    expect(JSON.stringify(letters)).not.toContain('private');
  });

  it('has no secret in its reason', async () => {
    const ports = await openTurn();
    await keepDeadLetter(ports, dead('turns', hintOf(), 'not sent to amqp://guest:hunter2@host'));
    const [letter] = await ports.store.listDeadLetters(1);
    expect(letter!.reason).toBe('not sent to amqp://***@host');
  });

  it('contains nothing of a turn whose conversation was deleted', async () => {
    const ports = await openPorts('orchestrator-1');
    await keepDeadLetter(ports, dead('turns', hintOf()));
    const [letter] = await ports.store.listDeadLetters(1);
    expect(letter).toMatchObject({ queue: 'turns', content: '' });
    expect(letter!.turn_id).toBeUndefined();
  });
});

describe('an unparseable message', () => {
  it.each([
    ['text that is not JSON', Buffer.from('{"id":')],
    ['null', Buffer.from('null')],
    ['nothing', Buffer.alloc(0)],
    ['invalid ids', Buffer.from('{"body":{"turn_id":{"$ne":1},"tool_call_id":7}}')],
    ['a message too large to parse', Buffer.alloc(9 * 1024 * 1024, '[')],
  ])('%s is only stored', async (_what, content) => {
    const ports = await openTurn();
    await keepDeadLetter(ports, dead('turns', content, 'rejected: not JSON'));
    const [letter] = await ports.store.listDeadLetters(10);
    expect(letter).toMatchObject({ reason: 'rejected: not JSON', size: content.byteLength });
    expect(ports.recorded.sent).toEqual([]);
  });

  it('is stored once, regardless of redeliveries', async () => {
    const ports = await openTurn();
    const letter = dead('turns', Buffer.from('{'));
    await keepDeadLetter(ports, letter);
    await keepDeadLetter(ports, letter);
    expect(await ports.store.listDeadLetters(10)).toHaveLength(1);
  });
});
