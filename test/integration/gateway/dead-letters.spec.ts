import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMessage, type DeadLetter, type Message } from '#contracts';
import { SystemClock, systemTime } from '#time';
import { createAuthenticator, signToken } from '../../../apps/gateway/people/auth/json-web-token.adapter.js';
import { sampleTurn } from '../../../libs/store/testing/sample-rows.js';
import { waitFor } from '../../services/wait-for.js';
import { GATEWAY_ID, JWT_SECRET, startHarness, type Harness } from './gateway-harness.js';

const AUTH = { kind: 'jwt' as const, secret: JWT_SECRET };
const hint = newMessage(systemTime(), 'turn.advance', { turn_id: 'turn_1', conversation_id: 'conv_1' });

let harness: Harness;
const taken: Message[] = [];
beforeAll(async () => {
  harness = await startHarness();
  await harness.driver.consume('turns', { prefetch: 10 }, async ({ message }) => {
    taken.push(message);
    return 'ack';
  });
});
afterAll(() => harness.stop());

function letterOf(id: string, more: Partial<DeadLetter> = {}): DeadLetter {
  const content = JSON.stringify(hint);
  const place = { queue: 'turns', reason: 'delivery_limit', message_id: hint.id };
  return { _id: id, ...place, content, size: content.length, at: new Date().toISOString(), ...more };
}

async function ask(method: string, path: string, token?: string): Promise<{ status: number; body: unknown }> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${harness.url}/api/admin/dead-letters${path}`, { method, headers });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

describe('dead letters', () => {
  it('are listed without their content, newest first, and shown with it', async () => {
    await harness.store.putDeadLetter(letterOf('a1', { at: '2099-01-01T00:00:00.000Z' }));
    await harness.store.putDeadLetter(letterOf('a2', { at: '2099-01-02T00:00:00.000Z' }));
    const { content, ...summary } = letterOf('a2', { at: '2099-01-02T00:00:00.000Z' });
    expect(await ask('GET', '?limit=1')).toEqual({ status: 200, body: [summary] });
    expect(await ask('GET', '/a2')).toEqual({ status: 200, body: { ...summary, content } });
    expect((await ask('GET', '/nothing')).status).toBe(404);
    expect((await ask('GET', '?limit=0')).status).toBe(422);
  });

  it('show no text where whoever published could write one', async () => {
    const text = 'my password is hunter2';
    await harness.store.putDeadLetter(letterOf('text', { queue: text, message_id: text }));
    const shown = await ask('GET', '/text');
    expect(shown.body).toMatchObject({ queue: 'unreadable', message_id: 'unreadable' });
    await harness.store.removeDeadLetter('text');
  });

  it('return to the queue that they died in, with a record, even when replayed repeatedly and concurrently', async () => {
    await harness.store.putDeadLetter(letterOf('b'));
    const before = taken.length;
    const answers = await Promise.all([1, 2, 3].map(() => ask('POST', '/b/replay')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await waitFor(() => taken.length >= before + 3, { what: 'the copies' });
    const copies = taken.slice(before);
    expect(copies.map(({ type, body }) => ({ type, body }))).toEqual(
      [1, 2, 3].map(() => ({ type: 'turn.advance', body: hint.body })),
    );
    // Should a copy die, it is another letter.
    expect(new Set([hint.id, ...copies.map(({ id }) => id)]).size).toBe(4);
    expect(await harness.store.getDeadLetter('b')).toMatchObject({
      replayed_by: 'local',
      replayed_at: expect.any(String),
    });
    expect(harness.log.filter((line) => line.includes('dead_letter_replayed'))).toHaveLength(3);
  });

  it.each([
    ['not JSON', { content: '{' }, /cannot be replayed: not JSON/],
    ['another version', { content: JSON.stringify({ ...hint, version: '9.0.0' }) }, /unsupported version/],
    ['a type of another queue', { queue: 'results' }, /does not belong here/],
    ['an unknown queue', { queue: 'nowhere' }, /there is no queue nowhere/],
  ])('of %s are refused with a reason', async (name, more, reason) => {
    const id = name.replaceAll(' ', '-');
    await harness.store.putDeadLetter(letterOf(id, more));
    expect(await ask('POST', `/${id}/replay`)).toEqual({
      status: 422,
      body: expect.objectContaining({ code: 'invalid', detail: expect.stringMatching(reason) }),
    });
    expect((await harness.store.getDeadLetter(id))?.replayed_at).toBeUndefined();
  });

  it('of a call are replayed as a hint about its turn, even if an earlier version kept the whole message', async () => {
    const turn = sampleTurn();
    await harness.store.insertTurn(turn);
    const place = { turn_id: turn._id, conversation_id: turn.conversation_id };
    const body = { ...callBody(), ...place, arguments: { note: 'private' } };
    const call = { ...hint, type: 'tool.call', body };
    await harness.store.putDeadLetter(letterOf('c', { queue: 'tools.gone', content: JSON.stringify(call) }));
    const before = taken.length;
    expect((await ask('POST', '/c/replay')).status).toBe(200);
    await waitFor(() => taken.length > before, { what: 'the hint' });
    expect(taken.at(-1)).toMatchObject({ type: 'turn.advance', body: place });
    const shown = JSON.stringify(await ask('GET', '/c'));
    expect(shown).toContain('arguments_bytes');
    expect(shown).not.toContain('private');
  });

  it('of a call whose turn was removed cannot be replayed', async () => {
    const call = { ...hint, type: 'tool.call', body: callBody() };
    await harness.store.putDeadLetter(letterOf('g', { queue: 'tools.gone', content: JSON.stringify(call) }));
    expect(await ask('POST', '/g/replay')).toMatchObject({
      status: 422,
      body: { detail: 'This message cannot be replayed: its turn no longer exists.' },
    });
  });

  it('are removed when they are discarded', async () => {
    await harness.store.putDeadLetter(letterOf('d'));
    expect((await ask('DELETE', '/d')).status).toBe(204);
    expect((await ask('DELETE', '/d')).status).toBe(404);
    expect((await ask('POST', '/d/replay')).status).toBe(404);
  });

  it('are accessible to operators only', async () => {
    const open = harness;
    harness = await startHarness({ config: { auth: AUTH } });
    try {
      await harness.store.putDeadLetter(letterOf('e'));
      const user = await signToken(new SystemClock(), { id: 'ann', isOperator: false, roles: [] }, 1, AUTH);
      const operator = await signToken(
        new SystemClock(),
        { id: 'bob', isOperator: true, roles: ['operator'] },
        1,
        AUTH,
      );
      expect((await createAuthenticator(AUTH, new SystemClock())(operator)).isOperator).toBe(true);
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/e'],
        ['POST', '/e/replay'],
        ['DELETE', '/e'],
      ] as const) {
        expect((await ask(method, path)).status).toBe(401);
        expect(await ask(method, path, user)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      }
      expect((await ask('POST', '/e/replay', operator)).status).toBe(200);
      expect(await harness.store.getDeadLetter('e')).toMatchObject({ replayed_by: 'bob' });
    } finally {
      await harness.stop();
      harness = open;
    }
  });
});

function callBody() {
  return {
    tool_call_id: `call_${'0'.repeat(22)}`,
    turn_id: 'turn_1',
    conversation_id: 'conv_1',
    n: 1,
    user_id: 'ann',
    tool_name: 'gone.tool',
    arguments: {},
    class: 'once',
    timeout_ms: 1_000,
    deadline: new Date().toISOString(),
    reply_to: GATEWAY_ID.replace('-', '.'),
  };
}
