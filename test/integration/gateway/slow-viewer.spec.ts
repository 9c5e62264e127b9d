import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Snapshot } from '#contracts';
import { waitFor } from '../../services/wait-for.js';
import { startHarness, type Harness } from './gateway-harness.js';
import { addCall, PlayedTurn } from './played-turn.js';
import { RawClient } from './raw-client.js';

/** More than what two kernels' buffers take, so that the rest must wait in the process. */
const FLOOD_EVENTS = 3_000;
const FLOOD_EVENT_LENGTH = 8_000;

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

function eventsOf(raw: RawClient): [string, { type: string }][] {
  return raw.packets('42').map((frame) => JSON.parse(frame.slice(2)) as [string, { type: string }]);
}

describe('a viewer that stops reading', () => {
  it('delays nobody, costs no memory without end, and is told everything that counts when it reads again', async () => {
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
    const { tool_call_id, tool_name, display_name } = call;
    const named = { step: 1, tool_call_id, tool_name, display_name };
    const args = { tool_input: '{}', tool_args: {}, source: 'local' as const, toolset: 'math', attempt: 1 };
    played.emit({ type: 'tool_start', ...played.fields, ...named, ...args });
    const message = 'x'.repeat(FLOOD_EVENT_LENGTH);
    for (let i = 1; i <= FLOOD_EVENTS; i++) {
      played.emit({ type: 'tool_progress', ...played.fields, step: 1, tool_call_id, progress: i, message });
      // The sender's socket must get its turn, as it would between events of a real bus.
      if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const end = await played.settle(call, 1, 3);
    played.emit(end);
    played.beginStep(2, [end]);
    for (const word of ['It ', 'is ', '3', '.']) played.token(2, word);
    played.complete(await played.commit(2, 'It is 3.'));

    await sender.event('complete');
    expect(sender.events('tool_progress')).toHaveLength(FLOOD_EVENTS);
    expect(eventsOf(slow).map(([name]) => name)).toEqual(['snapshot']);

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
    slow.socket.terminate();
  });
});
