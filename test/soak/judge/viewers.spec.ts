import { describe, expect, it } from '@jest/globals';
import type { ConversationEvent, Snapshot, View } from '#contracts';
import { emptyView, reduce } from '#turn';
import { at, CONVERSATION_ID, START } from '../../../libs/turn/testing/rows.js';
import { judgeViewers } from './viewers.js';

const fields = { conversation_id: CONVERSATION_ID, turn_id: 'turn_1', timestamp: at(0) };
const attempt = { ...fields, step: 1, attempt: 100 };
const message = { number: 1, content: 'Question', client_message_id: 'message-1', by: 'local' };
const [queued, started, stepStarted, hello, world]: ConversationEvent[] = [
  { type: 'turn_queued', ...fields, ...message },
  { type: 'turn_started', ...fields, number: 1 },
  { type: 'step_started', ...attempt, settled: [] },
  { type: 'token', ...attempt, content: 'Hello ', offset: 0 },
  { type: 'token', ...attempt, content: 'world', offset: 6 },
] as const;
const all = [queued, started, stepStarted, hello, world];

function snapshotOf(view: View): Snapshot {
  return { type: 'snapshot', conversation_id: view.conversation_id, timestamp: at(0), view };
}

/** From a gateway that has been told the first `count` events. */
function snapshotAfter(count: number): Snapshot {
  return snapshotOf(all.slice(0, count).reduce(reduce, emptyView(CONVERSATION_ID)));
}

async function charactersIn(
  events: (ConversationEvent | Snapshot)[],
): Promise<{ lost: number; again: number }> {
  const seen = events.map((event) => ({ at: START, event }));
  const report = await judgeViewers({ viewers: [{ name: 'p1-a', seen }], fresh: [], store: [] });
  const { lostCharacters: lost, repeatedCharacters: again, findings } = report;
  expect(findings.length > 0).toBe(lost > 0 || again > 0);
  return { lost, again };
}

describe('the characters sent to a viewer', () => {
  it.each([0, 1, 2, 3, 4, 5])(
    'are sent again by a gateway that begins with an older snapshot, of %i events',
    async (count) => {
      const told = [...all, snapshotAfter(count), ...all.slice(count)];
      expect(await charactersIn(told)).toEqual({ lost: 0, again: 0 });
    },
  );

  it('are repeated when the snapshot already has them', async () => {
    expect(await charactersIn([...all, snapshotAfter(4), hello, world])).toEqual({ lost: 0, again: 6 });
  });

  it('are lost when neither the snapshot nor an event after it has them', async () => {
    expect(await charactersIn([...all, snapshotAfter(2), stepStarted, world])).toEqual({
      lost: 6,
      again: 0,
    });
  });

  it('are not taken back by a snapshot of another conversation', async () => {
    const told = [...all, snapshotOf(emptyView('conv_2')), hello];
    expect(await charactersIn(told)).toEqual({ lost: 0, again: 11 });
  });
});
