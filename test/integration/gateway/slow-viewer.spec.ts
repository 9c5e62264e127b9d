import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Call, Snapshot } from '#contracts';
import { createMetrics } from '#observability';
import { waitFor } from '../../services/wait-for.js';
import { bytesInUse } from '../../services/heap.js';
import { startHarness, type Harness } from './gateway-harness.js';
import { addCall, PlayedTurn } from './played-turn.js';
import { RawClient } from './raw-client.js';

/** More than what two kernels' buffers take, so that the rest must wait in the process. */
const FLOOD_EVENTS = 3_000;
const FLOOD_EVENT_LENGTH = 8_000;
/** What one socket may have waiting and still not be behind: a busy machine hands over nothing meanwhile. */
const BURST = 25;

let harness: Harness;
const metrics = createMetrics({ collectDefaults: false });
beforeAll(async () => {
  harness = await startHarness({ alter: () => ({ metrics }) });
});
afterAll(() => harness.stop());

function eventsOf(raw: RawClient): [string, { type: string }][] {
  return raw.packets('42').map((frame) => JSON.parse(frame.slice(2)) as [string, { type: string }]);
}

function startCall(played: PlayedTurn, { tool_call_id, tool_name, display_name }: Call): void {
  const named = { step: 1, tool_call_id, tool_name, display_name };
  const args = { tool_input: '{}', tool_args: {}, source: 'local' as const, toolset: 'math', attempt: 1 };
  played.emit({ type: 'tool_start', ...played.fields, ...named, ...args });
}

describe('a viewer that stops reading', () => {
  it('delays no other viewer, uses bounded memory, and gets every lasting change when it reads again', async () => {
    const sender = await harness.connect();
    const { conversation_id, turn_id } = await sender.send('hello');
    const slow = await RawClient.enter(harness.url);
    slow.socket.send(`421["join",{"conversation_id":"${conversation_id}"}]`);
    await waitFor(() => eventsOf(slow).length === 1, { what: 'the snapshot' });
    slow.socket.pause();

    const played = await PlayedTurn.take(harness, turn_id);
    const call = addCall('A');
    await played.start();
    played.beginStep(1);
    await played.commit(1, '', [call]);
    await played.claim(call.tool_call_id, 'worker-1');
    startCall(played, call);
    const { tool_call_id } = call;
    const message = 'x'.repeat(FLOOD_EVENT_LENGTH);
    const told = () => sender.events('tool_progress').length;
    for (let i = 1; i <= FLOOD_EVENTS; i++) {
      played.emit({ type: 'tool_progress', ...played.fields, step: 1, tool_call_id, progress: i, message });
      // The sender reads, and must not be the slow one by chance.
      if (i % BURST === 0)
        await waitFor(() => told() === i, { what: 'the sender keeping up', intervalMs: 1 });
    }
    const end = await played.settle(call, 1, 3);
    played.emit(end);
    played.beginStep(2, [end]);
    for (const word of ['It ', 'is ', '3', '.']) played.token(2, word);
    played.complete(await played.commit(2, 'It is 3.'));

    await sender.event('complete');
    expect(told()).toBe(FLOOD_EVENTS);
    expect(eventsOf(slow).map(([name]) => name)).toEqual(['snapshot']);
    expect((await metrics.slowViewers.get()).values).toMatchObject([{ value: 1 }]);
    expect((await metrics.eventsDropped.get()).values).toMatchObject([
      { labels: { reason: 'slow_viewer' }, value: 1 },
      { labels: { reason: 'gap' }, value: 0 },
    ]);

    slow.socket.resume();
    await waitFor(() => eventsOf(slow).some(([name]) => name === 'complete'), { what: 'the end' });
    const names = eventsOf(slow).map(([name]) => name);
    expect(names.filter((name) => name === 'tool_progress').length).toBeLessThan(FLOOD_EVENTS);
    const last = names.lastIndexOf('snapshot');
    expect(last).toBeGreaterThan(0);
    const { view } = eventsOf(slow)[last]![1] as Snapshot;
    expect(view.turns[0]).toMatchObject({ status: 'completed', steps: [{}, { text: 'It is 3.' }] });
    expect(names.slice(last + 1)).toEqual(['tool_complete', 'complete']);

    await sender.send('again', { conversation_id });
    await waitFor(() => eventsOf(slow).at(-1)?.[0] === 'turn_queued', { what: 'the next turn' });
    expect((await metrics.slowViewers.get()).values).toMatchObject([{ value: 0 }]);
    expect((await metrics.snapshots.get()).values).toContainEqual(
      expect.objectContaining({ labels: { reason: 'slow_viewer' }, value: 1 }),
    );
    slow.socket.terminate();
  }, 60_000);
});

/** Each of its own conversation, and each told more than two kernels' buffers take. */
const READERS = 8;
const LONG_EVENTS = 256;
const LONG_EVENT_LENGTH = 64 * 1024;
/** Far above 256 KiB for each of them, far below what they are told. */
const BOUND_BYTES = 24 * 1024 * 1024;

describe('many viewers that stop reading', () => {
  it('use no more memory than their share, regardless of the traffic', async () => {
    const played = await Promise.all(
      Array.from({ length: READERS }, (_, reader) => followAndStopReading(reader)),
    );
    const relayed = async () => (await metrics.eventsRelayed.get()).values[0]!.value;
    const [before, relayedBefore] = [bytesInUse(), await relayed()];
    for (let i = 0; i < LONG_EVENTS; i++) {
      for (const { turn, call } of played) {
        const passing = { step: 1, tool_call_id: call.tool_call_id, progress: i };
        const message = String(i % 10).repeat(LONG_EVENT_LENGTH);
        turn.emit({ type: 'tool_progress', ...turn.fields, ...passing, message });
      }
      // The kernel takes what it can only between events.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const isTold = async () => (await relayed()) - relayedBefore >= READERS * LONG_EVENTS;
    await waitFor(isTold, { what: 'everything being told' });
    // What the kernels take, and what is still on its way to them, is held for a moment only.
    await waitFor(() => bytesInUse() - before < BOUND_BYTES, { what: 'memory below its bound' });
    for (const { slow } of played) slow.socket.terminate();
  }, 60_000);
});

/** A viewer that has seen the beginning of a call, and then reads no more. */
async function followAndStopReading(
  reader: number,
): Promise<{ turn: PlayedTurn; call: Call; slow: RawClient }> {
  const sender = await harness.connect();
  const { conversation_id, turn_id } = await sender.send('hello');
  sender.close();
  const slow = await RawClient.enter(harness.url);
  slow.socket.send(`421["join",{"conversation_id":"${conversation_id}"}]`);
  await waitFor(() => eventsOf(slow).length === 1, { what: 'the snapshot' });
  const turn = await PlayedTurn.take(harness, turn_id);
  await turn.start();
  turn.beginStep(1);
  const call = addCall(`reader${reader}`);
  await turn.commit(1, '', [call]);
  await turn.claim(call.tool_call_id, 'worker-1');
  startCall(turn, call);
  await waitFor(() => eventsOf(slow).at(-1)?.[0] === 'tool_start', { what: 'the start of the call' });
  slow.socket.pause();
  return { turn, call, slow };
}
