import { describe, expect, it } from '@jest/globals';
import type { CallView, ConversationEvent, EventOf, View } from '#contracts';
import { fields, running, setUp } from './testing/test-feed.js';

const CALL_ID = 'call_0000000000000000000001';
const tool = {
  tool_call_id: CALL_ID,
  tool_name: 'mail.send',
  display_name: 'send',
  source: 'local' as const,
};
const call = { ...tool, toolset: 'mail', attempt: 0, args: {} };
const awaiting: CallView = { ...call, state: 'awaiting_approval' };
const approval = { decision: 'approve' as const, by: 'ann' };
const end = { attempt: 1, worker: 'worker-1', duration_ms: 5, ended_at: fields.timestamp };

/** A turn of one call that has ended, as the store shows it. */
function ended(more: Partial<CallView>): View {
  const calls: CallView[] = [{ ...call, ...end, state: 'succeeded', result: 'sent', ...more }];
  return running('', { committed: true, calls }, { status: 'completed', ended_at: fields.timestamp });
}

const started: ConversationEvent = {
  type: 'tool_start',
  ...fields,
  ...tool,
  step: 1,
  attempt: 1,
  tool_args: {},
  tool_input: '',
  toolset: 'mail',
};
const answered: ConversationEvent = {
  type: 'approval_answered',
  ...fields,
  tool_call_id: CALL_ID,
  ...approval,
};
const completed: EventOf<'tool_complete'> = {
  type: 'tool_complete',
  ...fields,
  ...tool,
  step: 1,
  attempt: 1,
  worker: 'worker-1',
  duration_ms: 5,
  status: 'success',
  tool_result: 'sent',
  tool_output: 'sent',
};
const carried: ConversationEvent = {
  type: 'step_started',
  ...fields,
  step: 2,
  attempt: 100,
  settled: [completed],
};
const committed: ConversationEvent = {
  type: 'step_committed',
  ...fields,
  step: 2,
  attempt: 100,
  text_length: 0,
  calls: [],
};
const completedTurn: EventOf<'complete'> = {
  type: 'complete',
  ...fields,
  message_id: 'turn_1:2',
  content: '',
  usage: { input_tokens: 1, output_tokens: 1, cached_tokens: 0 },
};
const ends: ConversationEvent[] = [completed, { ...completedTurn, message_id: 'turn_1:1' }];

async function silence({ feed, clock }: ReturnType<typeof setUp>, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    await clock.advance(1_000);
    feed.watch();
  }
}

describe('a feed that missed the answer of a person', () => {
  it.each([
    ['its start and end', [started, ...ends]],
    ['the beginning of the next step, which carries its end', [carried, committed, completedTurn]],
  ])(
    'but received %s, reads the store once after the turn has ended, and shows the answer',
    async (_, events) => {
      const set = setUp();
      const { feed, reads, join } = set;
      const viewer = join();
      await reads[0]!.answer(
        running('', { committed: true, calls: [awaiting] }, { status: 'awaiting_input' }),
      );
      for (const event of events) feed.receive(event);
      await silence(set, 7);
      expect(reads).toHaveLength(2);
      await reads[1]!.answer(ended({ approval }));
      const shown = { calls: [{ approval, state: 'succeeded' }] };
      expect(viewer.told.at(-1)).toMatchObject({ type: 'snapshot', view: { turns: [{ steps: [shown] }] } });
      await silence(set, 60);
      expect(reads).toHaveLength(2);
    },
  );

  it.each([
    ['in time', [answered, started, ...ends]],
    ['late', [started, ...ends, answered]],
  ])('does not read the store when the answer arrives %s', async (_, events) => {
    const set = setUp();
    const { feed, reads, join } = set;
    join();
    await reads[0]!.answer(running('', { committed: true, calls: [awaiting] }, { status: 'awaiting_input' }));
    for (const event of events) feed.receive(event);
    await silence(set, 60);
    expect(reads).toHaveLength(1);
  });
});
