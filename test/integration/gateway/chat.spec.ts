import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
import { DOUBTING_TIMINGS, startHarness, type Harness, type HarnessOptions } from './gateway-harness.js';
import { addCall, PlayedTurn } from './played-turn.js';

let harness: Harness;
async function start(options?: HarnessOptions): Promise<Harness> {
  harness = await startHarness(options);
  return harness;
}
afterEach(() => harness.stop());

describe('sending a message', () => {
  it('answers, then sends a snapshot, then the events of the turn, in this order', async () => {
    const { connect } = await start();
    const client = await connect();
    const { turn_id } = await client.send('hello');
    const played = await PlayedTurn.take(harness, turn_id);
    await played.answer('hi there');
    await client.event('complete');
    expect(client.order).toEqual([
      'ack',
      'snapshot',
      'turn_queued',
      'turn_started',
      'step_started',
      'token',
      'step_committed',
      'complete',
    ]);
  });

  it('writes the turn and hints an orchestrator', async () => {
    const { connect, store, driver } = await start();
    const hints: unknown[] = [];
    await driver.consume('turns', { prefetch: 1 }, async ({ message }) => {
      hints.push(message.body);
      return 'ack';
    });
    const client = await connect();
    const answer = await client.send('hello', { client_message_id: 'm1' });
    expect(await store.getTurn(answer.turn_id)).toMatchObject({
      number: 1,
      user_id: 'local',
      content: 'hello',
      client_message_id: 'm1',
      status: 'queued',
    });
    await waitFor(() => hints.length === 1, { what: 'the hint' });
    expect(hints).toEqual([{ turn_id: answer.turn_id, conversation_id: answer.conversation_id }]);
  });

  it('gives a resend the same turn, even through a first message without a conversation', async () => {
    const { connect, store } = await start();
    const [one, other] = [await connect(), await connect()];
    const first = await one.send('hello', { client_message_id: 'm1' });
    const again = await other.send('hello', { client_message_id: 'm1' });
    expect(again).toEqual(first);
    const inIt = { conversation_id: first.conversation_id, client_message_id: 'm2' };
    expect(await one.send('more', inIt)).toEqual(await other.send('more', inIt));
    expect(await store.lastTurnNumber(first.conversation_id)).toBe(2);
  });

  it('gives two first messages without ids separate conversations', async () => {
    const { connect } = await start();
    const client = await connect();
    const [a, b] = [await client.send('hello'), await client.send('hello')];
    expect(a.conversation_id).not.toBe(b.conversation_id);
  });

  it('numbers simultaneous messages without gaps', async () => {
    const { connect, store } = await start();
    const client = await connect();
    const { conversation_id } = await client.send('first');
    await Promise.all(Array.from({ length: 20 }, (_, i) => client.send(`m${i}`, { conversation_id })));
    const turns = await store.listTurns(conversation_id, { limit: 100 });
    expect(turns.map((turn) => turn.number)).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
  });

  it('shows a message once to every viewer that has joined', async () => {
    const { connect } = await start();
    const [sender, watcher] = [await connect(), await connect()];
    const { conversation_id } = await sender.send('one');
    await watcher.request('join', { conversation_id });
    await watcher.event('snapshot');
    await sender.send('two', { conversation_id });
    await watcher.event('turn_queued');
    await sender.event('turn_queued', 2);
    expect(watcher.events('turn_queued').map((event) => event.content)).toEqual(['two']);
    expect(sender.order).toEqual(['ack', 'snapshot', 'turn_queued', 'ack', 'turn_queued']);
  });

  it('refuses in a conversation with policy reject while a turn has not ended', async () => {
    const { connect, store } = await start();
    const client = await connect();
    const { conversation_id, turn_id } = await client.send('one');
    await store.updateConversation(conversation_id, { policy: 'reject' });
    const refused = await client.request('message', { conversation_id, content: 'two' });
    expect(refused.error).toMatchObject({ code: 'busy' });
    await (await PlayedTurn.take(harness, turn_id)).answer('done');
    await client.send('three', { conversation_id });
  });

  it('stops the earlier turns in a conversation with policy interrupt', async () => {
    const { connect, store } = await start();
    const client = await connect();
    const { conversation_id, turn_id } = await client.send('one');
    await store.updateConversation(conversation_id, { policy: 'interrupt' });
    await client.send('two', { conversation_id });
    expect((await store.readJournal(turn_id))?.steps.at(-1)?.kind).toBe('cancel');
    await client.event('cancelled');
  });

  it('refuses more simultaneous turns than a user may have', async () => {
    const { connect } = await start({ limits: { turnsAtOnce: 2 } });
    const client = await connect();
    const first = await client.send('one', { client_message_id: 'm1' });
    await client.send('two');
    const refused = await client.request('message', { content: 'three' });
    expect(refused.error).toMatchObject({ code: 'overloaded', retry_after_ms: expect.any(Number) });
    expect(await client.send('one', { client_message_id: 'm1' })).toEqual(first);
  });
});

describe('joining a conversation', () => {
  it('shows what was written before, with the streamed text so far', async () => {
    const { connect, partials, store } = await start();
    const sender = await connect();
    const { conversation_id, turn_id } = await sender.send('hello');
    const played = await PlayedTurn.take(harness, turn_id);
    await played.start();
    played.beginStep(1);
    played.token(1, 'Once upon');
    await sender.event('token');
    sender.close();
    await waitFor(() => harness.running.gateway.feeds.find(conversation_id) === undefined, {
      what: 'the linger',
    });
    partials.set(turn_id, { step: 1, attempt: 100, text: 'Once upon a' });
    const viewer = await connect();
    await viewer.request('join', { conversation_id });
    const { view } = await viewer.event('snapshot');
    expect(view.turns[0]).toMatchObject({ status: 'running', steps: [{ n: 1, text: 'Once upon a' }] });
    played.token(1, ' a time');
    const token = await viewer.event('token');
    expect(token).toMatchObject({ content: ' time', offset: 11 });
    expect(await store.getStep(turn_id, 1)).toBeNull();
  });

  it('continues without the text when the driver does not answer', async () => {
    const { connect } = await start();
    const sender = await connect();
    const { conversation_id, turn_id } = await sender.send('hello');
    await (await PlayedTurn.take(harness, turn_id)).start();
    const viewer = await connect();
    await viewer.request('join', { conversation_id });
    const { view } = await viewer.event('snapshot');
    expect(view.turns).toHaveLength(1);
  });

  it('shows an end whose event was lost, from the store', async () => {
    const { connect } = await start({ timings: DOUBTING_TIMINGS });
    const viewer = await connect();
    const { turn_id } = await viewer.send('hello');
    const played = await PlayedTurn.take(harness, turn_id);
    await played.start();
    played.beginStep(1);
    await viewer.event('step_started');
    await played.commit(1, 'All lost.', [], { lost: true });
    const complete = await viewer.event('complete');
    expect(complete).toMatchObject({ content: 'All lost.', message_id: `${turn_id}:1` });
    const repaired = viewer.events('snapshot').at(-1)?.view.turns[0];
    expect(repaired).toMatchObject({ status: 'completed', steps: [{ text: 'All lost.' }] });
  });

  it('repairs a gap in the tokens by a snapshot', async () => {
    const { connect, partials } = await start();
    const viewer = await connect();
    const { turn_id } = await viewer.send('hello');
    partials.set(turn_id, { step: 1, attempt: 100, text: 'one two three ' });
    const played = await PlayedTurn.take(harness, turn_id);
    await played.start();
    played.beginStep(1);
    played.token(1, 'one ');
    played.token(1, 'two ', { lost: true });
    played.token(1, 'three ');
    const snapshot = await viewer.event('snapshot', 2);
    expect(snapshot.view.turns[0]?.steps[0]?.text).toBe('one two three ');
    played.token(1, 'four');
    await viewer.event('token', 2);
    expect(viewer.events('token').map((event) => event.content)).toEqual(['one ', 'four']);
  });

  it('shows the ends of calls before any token of the next step, regardless of the network’s order', async () => {
    const { connect } = await start();
    const viewer = await connect();
    const { turn_id } = await viewer.send('1 + 2?');
    const played = await PlayedTurn.take(harness, turn_id);
    const call = addCall('A');
    await played.start();
    played.beginStep(1);
    await played.commit(1, '', [call]);
    const end = await played.settle(call, 1, 3);
    played.beginStep(2, [end]);
    played.token(2, 'It is 3.');
    played.emit(end);
    played.complete(await played.commit(2, 'It is 3.'));
    await viewer.event('complete');
    const started = viewer.events('step_started')[1];
    expect(started?.settled).toMatchObject([{ type: 'tool_complete', tool_result: '3' }]);
    expect(viewer.order.filter((name) => name === 'tool_complete')).toEqual([]);
    expect(viewer.order.indexOf('token')).toBeGreaterThan(viewer.order.lastIndexOf('step_started'));
  });

  it('sends nothing of a conversation that was left', async () => {
    const { connect } = await start();
    const [sender, viewer] = [await connect(), await connect()];
    const { conversation_id } = await sender.send('one');
    await viewer.request('join', { conversation_id });
    await viewer.event('snapshot');
    expect(await viewer.request('leave', { conversation_id })).toEqual({});
    await sender.send('two', { conversation_id });
    await sender.event('turn_queued', 2);
    await viewer.request('ping');
    expect(viewer.events('turn_queued')).toEqual([]);
  });

  it('reads the store at a limited rate, regardless of the number of joins', async () => {
    let reads = 0;
    const rereadMs = 60_000;
    await start({
      timings: { ...DOUBTING_TIMINGS, rereadMs, quietMs: 5_000, longestQuietMs: 5_000, lingerMs: 1_000 },
      alter: ({ store }) => ({
        store: new Proxy(store, {
          get(target, name) {
            if (name === 'readJournals') reads++;
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
          },
        }),
      }),
    });
    const clients = await Promise.all(Array.from({ length: 20 }, () => harness.connect()));
    const { conversation_id } = await clients[0]!.send('hello');
    await Promise.all(clients.map((client) => client.request('join', { conversation_id })));
    await Promise.all(clients.map((client) => client.event('snapshot')));
    expect(reads).toBeLessThanOrEqual(1);
  });
});

describe('stopping a turn', () => {
  it('ends a queued turn without a driver', async () => {
    const { connect, store } = await start();
    const client = await connect();
    const { turn_id } = await client.send('hello');
    expect(await client.request('stop', { turn_id })).toEqual({ may_be_running: [] });
    expect((await store.readJournal(turn_id))?.steps).toMatchObject([{ kind: 'cancel' }]);
    await client.event('cancelled');
  });

  it('lets a driver that answers commit the partial text', async () => {
    const { connect, driver, asked, store } = await start();
    const client = await connect();
    const { turn_id } = await client.send('hello');
    const played = await PlayedTurn.take(harness, turn_id);
    await played.start();
    const stopping = client.request('stop', { turn_id });
    const stop = await waitFor(() => asked.find((message) => message.type === 'turn.stop'), {
      what: 'turn.stop',
    });
    if (stop.type !== 'turn.stop') throw new Error('not a stop');
    await store.commitStep({ ...played.stepRow(1, 'half an ans'), kind: 'cancel', stop_reason: null });
    const { reply_to, request_id } = stop.body;
    await driver.send(reply_to, { ...stop, type: 'turn.stopped', body: { turn_id, request_id } });
    expect(await stopping).toEqual({ may_be_running: [] });
    expect((await store.readJournal(turn_id))?.steps).toHaveLength(1);
  });

  it('reports an ended turn with its calls that still have no outcome', async () => {
    const { connect } = await start();
    const client = await connect();
    const { turn_id } = await client.send('hello');
    const played = await PlayedTurn.take(harness, turn_id);
    const call = addCall('A');
    await played.start();
    await played.commit(1, '', [call]);
    await played.claim(call.tool_call_id, 'worker-1');
    const answer = { may_be_running: [call.tool_call_id] };
    expect(await client.request('stop', { turn_id })).toEqual(answer);
    expect(await client.request('stop', { turn_id })).toEqual(answer);
  });
});

describe('a call that waits for a person', () => {
  it('accepts one answer, notifies every viewer and hints the turn', async () => {
    const { connect, store } = await start();
    const client = await connect();
    const { turn_id } = await client.send('hello');
    const played = await PlayedTurn.take(harness, turn_id);
    const call = addCall('A', 'required');
    await played.start();
    played.beginStep(1);
    await played.commit(1, '', [call]);
    await client.event('step_committed');
    const request = { turn_id, tool_call_id: call.tool_call_id, decision: 'approve' };
    expect(await client.request('tool_approval', request)).toEqual({});
    expect((await store.readJournal(turn_id))?.answers).toMatchObject([{ decision: 'approve', by: 'local' }]);
    expect(await client.event('approval_answered')).toMatchObject({ decision: 'approve', by: 'local' });
    const again = await client.request('tool_approval', { ...request, decision: 'deny' });
    expect(again.error?.code).toBe('already_answered');
  });

  it('is not found when none waits', async () => {
    const { connect } = await start();
    const client = await connect();
    const { turn_id } = await client.send('hello');
    const tool_call_id = addCall('A').tool_call_id;
    const approval = await client.request('tool_approval', { turn_id, tool_call_id, decision: 'approve' });
    expect(approval.error?.code).toBe('not_found');
    const input = await client.request('input', { turn_id, tool_call_id, content: {} });
    expect(input.error?.code).toBe('not_found');
  });
});
