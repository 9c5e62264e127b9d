import { afterEach, describe, expect, it } from '@jest/globals';
import { inputId } from '#turn';
import type { Bus } from '#messaging';
import { emptyView, reduce } from '#turn';
import { waitFor } from '../../services/wait-for.js';
import {
  JWT_SECRET,
  signTestToken,
  startHarness,
  type Answer,
  type Client,
  type Harness,
  type HarnessOptions,
} from './gateway-harness.js';
import { addCall, PlayedTurn } from './played-turn.js';

let harness: Harness;
async function start(options?: HarnessOptions): Promise<Harness> {
  harness = await startHarness(options);
  return harness;
}
afterEach(() => harness.stop());

const GUARDED: HarnessOptions = {
  config: { auth: { kind: 'jwt', secret: JWT_SECRET } as never },
};

const viewOf = (client: Client, conversationId: string) =>
  client.received.reduce(
    (view, event) => (event.conversation_id === conversationId ? reduce(view, event) : view),
    emptyView(conversationId),
  );
const statusesOf = (client: Client, conversationId: string) =>
  viewOf(client, conversationId).turns.map(({ status }) => status);
const codeOf = (answer: Answer) => answer.error?.code ?? 'taken';

/** Two devices in one conversation that has a turn under way. */
async function twoDevices() {
  const [phone, laptop] = [await harness.connect(), await harness.connect()];
  const { conversation_id, turn_id } = await phone.send('one');
  await laptop.request('join', { conversation_id });
  // What happens before its first snapshot is told by nothing else.
  await laptop.event('snapshot');
  const first = await PlayedTurn.take(harness, turn_id);
  await first.start();
  return { phone, laptop, conversation_id, first };
}

/** Both devices send at once, half of the messages each. */
function sendAtOnce(devices: Client[], conversation_id: string, count: number): Promise<Answer[]> {
  const requests = Array.from({ length: count }, (_, i) =>
    devices[i % devices.length]!.request('message', { conversation_id, content: `message ${i}` }),
  );
  return Promise.all(requests);
}

async function unendedNumbers(conversationId: string): Promise<number[]> {
  const turns = await harness.store.listUnendedTurns(conversationId);
  return turns.map(({ number }) => number);
}

describe('many simultaneous messages in a conversation', () => {
  it('with policy enqueue are all queued, seen by every device, and any device removes them', async () => {
    await start();
    const { phone, laptop, conversation_id, first } = await twoDevices();
    const answers = await sendAtOnce([phone, laptop], conversation_id, 12);
    expect(answers.map(codeOf)).toEqual(Array(12).fill('taken'));
    expect(await unendedNumbers(conversation_id)).toEqual(Array.from({ length: 13 }, (_, i) => i + 1));
    for (const device of [phone, laptop])
      await waitFor(() => viewOf(device, conversation_id).turns.length === 13, { what: 'the line' });
    const sentByPhone = viewOf(laptop, conversation_id).turns.filter((turn) => turn.content === 'message 0');
    const turn_id = sentByPhone[0]!.turn_id;
    expect(await laptop.request('stop', { turn_id })).toEqual({ may_be_running: [] });
    const isGone = (device: Client) =>
      viewOf(device, conversation_id).turns.find((turn) => turn.turn_id === turn_id)?.status === 'cancelled';
    for (const device of [phone, laptop]) await waitFor(() => isGone(device), { what: 'the removal' });
    const late = await harness.connect();
    await late.request('join', { conversation_id });
    await late.event('snapshot');
    expect(isGone(late)).toBe(true);
    first.complete(await first.commit(1, 'done'));
    expect(await unendedNumbers(conversation_id)).not.toContain(
      viewOf(late, conversation_id).turns.find((turn) => turn.turn_id === turn_id)!.number,
    );
  });

  it('with policy reject are refused except one when it is free, and all refused while it is busy', async () => {
    await start();
    const { phone, laptop, conversation_id, first } = await twoDevices();
    await harness.store.updateConversation(conversation_id, { policy: 'reject' });
    const busy = await sendAtOnce([phone, laptop], conversation_id, 12);
    expect(busy.map(codeOf)).toEqual(Array(12).fill('busy'));
    expect(busy[0]!.error?.retry_after_ms).toBeGreaterThan(0);
    await first.commit(1, 'done');
    const free = await sendAtOnce([phone, laptop], conversation_id, 12);
    expect(free.map(codeOf).toSorted()).toEqual([...Array<string>(11).fill('busy'), 'taken']);
    expect(await harness.store.lastTurnNumber(conversation_id)).toBe(2);
  });

  it('with policy interrupt leave only the last one, and everything before it is stopped', async () => {
    await start();
    const { phone, laptop, conversation_id } = await twoDevices();
    await harness.store.updateConversation(conversation_id, { policy: 'interrupt' });
    const answers = await sendAtOnce([phone, laptop], conversation_id, 12);
    expect(answers.map(codeOf)).toEqual(Array(12).fill('taken'));
    expect(await unendedNumbers(conversation_id)).toEqual([13]);
    const left = [...Array<string>(12).fill('cancelled'), 'queued'];
    for (const device of [phone, laptop]) {
      const seesIt = () => statusesOf(device, conversation_id).join() === left.join();
      await waitFor(seesIt, { what: 'twelve stopped turns' });
    }
  });

  it('follow the policy that is set while they arrive', async () => {
    await start();
    const client = await harness.connect();
    const { conversation_id } = await client.send('one');
    const set = (policy: string) =>
      fetch(`${harness.url}/api/conversations/${conversation_id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ policy }),
      });
    const say = async () => codeOf(await client.request('message', { conversation_id, content: 'next' }));
    expect(await say()).toBe('taken');
    expect(await (await set('reject')).json()).toMatchObject({ policy: 'reject' });
    expect(await say()).toBe('busy');
    await set('interrupt');
    expect(await say()).toBe('taken');
    expect(await unendedNumbers(conversation_id)).toHaveLength(1);
    expect((await set('whatever')).status).toBe(422);
  });
});

describe('Stop', () => {
  it('by two devices at once is one end, reported to both', async () => {
    await start();
    const { phone, laptop, first } = await twoDevices();
    const { _id: turn_id, conversation_id } = first.turn;
    const stop = (device: Client) => device.request('stop', { turn_id });
    expect(await Promise.all([stop(phone), stop(laptop)])).toEqual(Array(2).fill({ may_be_running: [] }));
    expect(await stop(laptop)).toEqual({ may_be_running: [] });
    const kinds = (await harness.store.readJournal(turn_id))!.steps.map(({ kind }) => kind);
    expect(kinds).toEqual(['cancel']);
    for (const device of [phone, laptop]) {
      await device.event('cancelled');
      expect(statusesOf(device, conversation_id)).toEqual(['cancelled']);
    }
  });

  it('requested repeatedly while it runs is executed once, and every request is answered', async () => {
    await start();
    const { phone, laptop, first } = await twoDevices();
    const { _id: turn_id } = first.turn;
    const storm = Array.from({ length: 20 }, (_, i) => (i % 2 ? phone : laptop).request('stop', { turn_id }));
    expect(await Promise.all(storm)).toEqual(Array(20).fill({ may_be_running: [] }));
    expect(harness.asked.filter(({ type }) => type === 'turn.stop')).toHaveLength(1);
  });

  it('by another user is not found, and stops nothing', async () => {
    await start(GUARDED);
    const ann = await harness.connect({ token: await signTestToken('ann') });
    const bob = await harness.connect({ token: await signTestToken('bob') });
    const { turn_id, conversation_id } = await ann.send('one');
    expect(codeOf(await bob.request('stop', { turn_id }))).toBe('not_found');
    expect(codeOf(await bob.request('join', { conversation_id }))).toBe('not_found');
    expect((await harness.store.readJournal(turn_id))!.steps).toEqual([]);
  });

  it('while a call waits for approval: the call never starts, and cannot be approved any more', async () => {
    await start();
    const { phone, laptop, first } = await twoDevices();
    const call = addCall('A', 'required');
    first.beginStep(1);
    await first.commit(1, '', [call]);
    const { _id: turn_id, conversation_id } = first.turn;
    expect(await phone.request('stop', { turn_id })).toEqual({ may_be_running: [] });
    const request = { turn_id, tool_call_id: call.tool_call_id, decision: 'approve' };
    expect(codeOf(await laptop.request('tool_approval', request))).toBe('not_found');
    const ended = await laptop.event('tool_error');
    expect(ended).toMatchObject({ error_type: 'Cancelled', error_details: { started: false } });
    expect(statusesOf(laptop, conversation_id)).toEqual(['cancelled']);
  });
});

describe('an approval', () => {
  const post = (path: string, body: object, token?: string) =>
    fetch(`${harness.url}/api/turns/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });

  async function waiting(change: { expires_at?: string } = {}) {
    const devices = await twoDevices();
    const call = { ...addCall('A', 'required'), ...change };
    devices.first.beginStep(1);
    await devices.first.commit(1, '', [call]);
    await devices.laptop.event('step_committed');
    return { ...devices, call, turn_id: devices.first.turn._id, tool_call_id: call.tool_call_id };
  }

  it('is accepted once when two devices answer simultaneously, and both see by whom', async () => {
    await start();
    const { phone, laptop, conversation_id, turn_id, tool_call_id } = await waiting();
    const answer = (device: Client, decision: string) =>
      device.request('tool_approval', { turn_id, tool_call_id, decision });
    const answers = await Promise.all([answer(phone, 'approve'), answer(laptop, 'deny')]);
    expect(answers.map(codeOf).toSorted()).toEqual(['already_answered', 'taken']);
    const decision = codeOf(answers[0]) === 'taken' ? 'approve' : 'deny';
    for (const device of [phone, laptop]) {
      await device.event('approval_answered');
      const [shown] = viewOf(device, conversation_id).turns[0]!.steps[0]!.calls;
      expect(shown).toMatchObject({ state: 'queued', approval: { decision, by: 'local' } });
    }
  });

  it('that comes second is reported as such, even when the turn ended by the first', async () => {
    await start();
    const { laptop, first, call, turn_id, tool_call_id } = await waiting();
    expect((await post(`${turn_id}/calls/${tool_call_id}/approval`, { decision: 'deny' })).status).toBe(200);
    await first.settle(call, 1, 'denied');
    await first.commit(2, 'So I did not.');
    const second = await laptop.request('tool_approval', { turn_id, tool_call_id, decision: 'approve' });
    expect(codeOf(second)).toBe('already_answered');
  });

  it('that comes too late expires the call, although nothing had checked it', async () => {
    await start();
    const expires_at = new Date(Date.now() - 1).toISOString();
    const { phone, laptop, turn_id, tool_call_id } = await waiting({ expires_at });
    const request = { turn_id, tool_call_id, decision: 'approve' };
    const [late, later] = [
      await phone.request('tool_approval', request),
      await phone.request('tool_approval', request),
    ];
    const tooLate = {
      code: 'already_answered',
      message: 'The time to answer has passed, so the call was not run.',
    };
    expect([late.error, later.error]).toMatchObject([tooLate, tooLate]);
    expect(await laptop.event('approval_answered')).toMatchObject({ decision: 'expired', by: 'system' });
    const { answers } = (await harness.store.readJournal(turn_id))!;
    expect(answers).toMatchObject([{ decision: 'expired', by: 'system' }]);
  });

  it('over HTTP is refused with a reason when it is invalid', async () => {
    await start();
    const { phone, turn_id, tool_call_id } = await waiting();
    const path = `${turn_id}/calls/${tool_call_id}/approval`;
    expect((await post(path, { decision: 'perhaps' })).status).toBe(422);
    expect((await post(`${turn_id}/calls/call_x/approval`, { decision: 'approve' })).status).toBe(404);
    const given = await post(path, { decision: 'approve' });
    expect([given.status, await given.json()]).toEqual([200, {}]);
    expect(await phone.event('approval_answered')).toMatchObject({ decision: 'approve', by: 'local' });
    const again = await post(path, { decision: 'approve' });
    expect([again.status, await again.json()]).toMatchObject([409, { code: 'already_answered' }]);
    const input = await post(`${turn_id}/calls/${tool_call_id}/input`, { content: {} });
    expect(input.status).toBe(404);
  });

  it('by another user is not found', async () => {
    await start(GUARDED);
    const token = await signTestToken('ann');
    const ann = await harness.connect({ token });
    const { turn_id } = await ann.send('one');
    const played = await PlayedTurn.take(harness, turn_id);
    const call = addCall('A', 'required');
    await played.start();
    await played.commit(1, '', [call]);
    const path = `${turn_id}/calls/${call.tool_call_id}/approval`;
    const refused = await post(path, { decision: 'approve' }, await signTestToken('bob'));
    expect(refused.status).toBe(404);
    expect((await harness.store.readJournal(turn_id))!.answers).toEqual([]);
    expect((await post(path, { decision: 'approve' }, token)).status).toBe(200);
    expect((await harness.store.readJournal(turn_id))!.answers).toMatchObject([{ by: 'ann' }]);
  });

  it('that reached no driver is found soon, although its turn is parked', async () => {
    await start({
      alter: ({ bus }) => ({
        bus: new Proxy(bus, {
          get: (target, name) => {
            if (name === 'publish') return async () => 'unknown';
            const value: unknown = target[name as keyof Bus];
            return typeof value === 'function' ? (value.bind(target) as unknown) : value;
          },
        }),
      }),
    });
    const { phone, turn_id, tool_call_id } = await waiting();
    await harness.store.setTurnDue(turn_id, Date.now() + 30_000);
    await phone.request('tool_approval', { turn_id, tool_call_id, decision: 'approve' });
    const { due_at } = (await harness.store.getTurn(turn_id))!;
    expect(due_at).toBeLessThan(Date.now() + 10_000);
  });
});

describe('a question of a tool', () => {
  const schema = {
    type: 'object',
    properties: { sender: { type: 'string', enum: ['Sales', 'Support'] } },
    required: ['sender'],
  };
  const content = { sender: 'Sales' };

  async function asked() {
    await start();
    const { phone, laptop, first } = await twoDevices();
    const call = addCall('A');
    await first.commit(1, '', [call]);
    await first.claim(call.tool_call_id, 'worker-1');
    const { _id: turn_id, conversation_id } = first.turn;
    const { tool_call_id } = call;
    const ask = (number: number) =>
      harness.store.answer({
        _id: inputId(tool_call_id, 'question', number),
        turn_id,
        conversation_id,
        question: { message: 'Which?', schema, expires_at: new Date().toISOString() },
        by: 'worker-1',
        at: new Date().toISOString(),
      });
    await ask(1);
    const stateSeen = () =>
      viewOf(laptop, conversation_id).turns.find((turn) => turn.turn_id === turn_id)?.steps[0]?.calls[0]
        ?.state;
    const inputs = async () =>
      (await harness.store.readJournal(turn_id))!.answers.filter(({ _id }) => _id.includes(':input'));
    return { phone, laptop, ask, inputs, stateSeen, call: { turn_id, tool_call_id } };
  }

  it('is answered once, over socket or HTTP, and every viewer is notified', async () => {
    const { phone, laptop, inputs, stateSeen, call } = await asked();
    const answer = { ...call, content };
    expect(await phone.request('input', answer)).toEqual({});
    expect(codeOf(await laptop.request('input', answer))).toBe('already_answered');
    const path = `${harness.url}/api/turns/${call.turn_id}/calls/${call.tool_call_id}/input`;
    const again = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'decline' }),
    });
    expect(again.status).toBe(409);
    expect(await inputs()).toMatchObject([{ action: 'accept', content, by: 'local' }]);
    await waitFor(() => stateSeen() === 'running', { what: 'the call that goes on' });
  });

  it('stays open after an invalid answer, which is refused with the reason', async () => {
    const { phone, inputs, call } = await asked();
    const wrong = [{}, { sender: 'Nobody' }, { sender: 'Sales', more: 1 }, undefined];
    const answers = [];
    for (const given of wrong) answers.push(await phone.request('input', { ...call, content: given }));
    expect(answers.map(({ error }) => [error?.code, error?.message])).toEqual([
      ['invalid', 'content: sender: is required'],
      ['invalid', 'content: sender: must be one of the choices'],
      ['invalid', 'content: more: is not a field of this question'],
      ['invalid', 'content: is required unless you decline'],
    ]);
    expect(await inputs()).toEqual([]);
    expect(await phone.request('input', { ...call, content })).toEqual({});
  });

  it('may be declined', async () => {
    const { phone, inputs, call } = await asked();
    expect(await phone.request('input', { ...call, action: 'decline', content })).toEqual({});
    const [row] = await inputs();
    expect(row).toMatchObject({ action: 'decline', by: 'local' });
    expect(row).not.toHaveProperty('content');
  });

  it('is not answered by an answer to the previous one', async () => {
    const { phone, laptop, ask, inputs, call } = await asked();
    expect(codeOf(await phone.request('input', { ...call, content, number: 2 }))).toBe('not_found');
    expect(await phone.request('input', { ...call, content, number: 1 })).toEqual({});
    await ask(2);
    expect(codeOf(await laptop.request('input', { ...call, content, number: 1 }))).toBe('already_answered');
    expect(await laptop.request('input', { ...call, content, number: 2 })).toEqual({});
    expect((await inputs()).map(({ _id }) => _id)).toEqual([
      inputId(call.tool_call_id, 'input', 1),
      inputId(call.tool_call_id, 'input', 2),
    ]);
  });
});

describe('the list of conversations', () => {
  const list = async () =>
    (await (await fetch(`${harness.url}/api/conversations`)).json()) as Record<string, unknown>[];

  it('shows which are running, which wait for a person, and how unnamed ones began', async () => {
    let reads = 0;
    await start({
      alter: ({ store }) => ({
        store: new Proxy(store, {
          get: (target, name) => {
            const value: unknown = target[name as keyof typeof store];
            if (typeof value !== 'function') return value;
            return (...args: unknown[]): unknown => {
              if (/^(list|get|read|count)/.test(String(name))) reads++;
              return (value as (...args: unknown[]) => unknown).apply(target, args);
            };
          },
        }),
      }),
    });
    const client = await harness.connect();
    const [done, waits, named] = [
      await client.send('done '.repeat(100)),
      await client.send('waits'),
      await client.send('named'),
    ];
    await client.send('behind', { conversation_id: waits.conversation_id });
    await (await PlayedTurn.take(harness, done.turn_id)).answer('yes');
    await harness.store.setTurnStatus(done.turn_id, 'completed');
    await harness.store.setTurnStatus(waits.turn_id, 'awaiting_input');
    await harness.store.updateConversation(named.conversation_id, { title: 'A name' });
    reads = 0;
    const byId = new Map((await list()).map((one) => [one.id, one]));
    expect(reads).toBe(3);
    expect(byId.get(done.conversation_id)).not.toHaveProperty('status');
    expect(byId.get(done.conversation_id)!.opening).toBe('done '.repeat(100).slice(0, 200));
    expect(byId.get(waits.conversation_id)).toMatchObject({ status: 'awaiting_input', opening: 'waits' });
    expect(byId.get(named.conversation_id)).toMatchObject({ status: 'queued', title: 'A name' });
    expect(byId.get(named.conversation_id)).not.toHaveProperty('opening');
  });
});
