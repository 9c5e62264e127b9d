import { describe, expect, it } from '@jest/globals';
import type { CallView, StepView, TurnView } from '#contracts';
import { TurnChanges } from './turn-changes.js';

function turn(changes: Partial<TurnView> = {}): TurnView {
  const at = '2026-01-01T00:00:00.000Z';
  const named = { turn_id: 'turn_1', number: 1, content: 'hello', by: 'ann', client_message_id: 'm1' };
  return { ...named, status: 'running', at, started_at: at, steps: [], ...changes };
}

function step(n: number, text: string, changes: Partial<StepView> = {}): StepView {
  return { n, attempt: 100, text, calls: [], ...changes };
}

function call(id: string, state: CallView['state'], changes: Partial<CallView> = {}): CallView {
  const tool_call_id = `call_${id.padEnd(22, '0')}`;
  const names = { tool_name: 'math.add', display_name: 'add', source: 'local' as const, toolset: 'math' };
  return { tool_call_id, ...names, state, attempt: 1, args: {}, ...changes };
}

/** What is told of these states, one after the other: "type", and of a call its first letter. */
function changesOf(...turns: TurnView[]): string[] {
  const changes = new TurnChanges();
  return turns
    .flatMap((state) => changes.next(state))
    .map((change) => {
      if (change.type === 'text') return `text ${change.step} ${change.text}`;
      return 'call' in change ? `${change.type} ${change.call.tool_call_id[5]}` : change.type;
    });
}

describe('TurnChanges', () => {
  it('reports a turn without tools from its first state to its last, each change once', () => {
    const done = step(1, 'It is so.', { committed: true });
    expect(
      changesOf(
        turn({ status: 'queued', started_at: undefined }),
        turn(),
        turn({ steps: [step(1, 'It ')] }),
        turn({ steps: [step(1, 'It is')] }),
        turn({ steps: [step(1, 'It is')] }),
        turn({ steps: [done] }),
        turn({ status: 'completed', steps: [done] }),
        turn({ status: 'completed', steps: [done] }),
      ),
    ).toEqual([
      'turn_started',
      'step_started',
      'text 1 It ',
      'text 1 is',
      'text 1  so.',
      'step_committed',
      'turn_ended',
    ]);
  });

  it('reports the same for a turn that is first seen when it has ended', () => {
    const steps = [
      step(1, 'Let me see.', { committed: true, calls: [call('A', 'succeeded'), call('B', 'failed')] }),
      step(2, 'It is 3.', { committed: true }),
    ];
    expect(changesOf(turn({ status: 'completed', steps }))).toEqual([
      'turn_started',
      'step_started',
      'text 1 Let me see.',
      'step_committed',
      'call_started A',
      'call_started B',
      'call_ended A',
      'call_ended B',
      'step_started',
      'text 2 It is 3.',
      'step_committed',
      'turn_ended',
    ]);
  });

  it('takes back the text of a restarted step, even when the new text is shorter', () => {
    expect(
      changesOf(turn({ steps: [step(1, 'Wrong way')] }), turn({ steps: [step(1, 'Ok', { attempt: 101 })] })),
    ).toEqual(['turn_started', 'step_started', 'text 1 Wrong way', 'step_restarted', 'text 1 Ok']);
  });

  it('repeats a text that a snapshot lacked, and takes back committed text of another step', () => {
    const [said, other] = [step(1, 'It is'), step(1, 'It was so.', { committed: true })];
    const told = changesOf(turn({ steps: [said] }), turn({ steps: [step(1, '')] }), turn({ steps: [said] }));
    expect(told.slice(2)).toEqual(['text 1 It is', 'step_restarted', 'text 1 It is']);
    expect(changesOf(turn({ steps: [said] }), turn({ steps: [other] })).slice(3)).toEqual([
      'step_restarted',
      'text 1 It was so.',
      'step_committed',
    ]);
  });

  it('reports what an event added, unless more is missing or it belongs to another step', () => {
    const changes = new TurnChanges();
    const textOf = (text: string, offset: number, content: string, n = 1) =>
      changes
        .next(turn({ steps: [step(1, text)] }), { step: n, offset, content })
        .flatMap((change) => (change.type === 'text' ? [change.text] : []));
    expect(textOf('It ', 0, 'It ')).toEqual(['It ']);
    expect(textOf('It is', 3, 'is')).toEqual(['is']);
    expect(textOf('It is so.', 8, '.')).toEqual([' so.']);
    expect(textOf('It is so. Really.', 9, 'never told', 2)).toEqual([' Really.']);
  });

  it('keeps text that a committed step only continues', () => {
    const committed = step(1, 'It is so.', { attempt: 200, committed: true });
    expect(changesOf(turn({ steps: [step(1, 'It is')] }), turn({ steps: [committed] })).slice(2)).toEqual([
      'text 1 It is',
      'text 1  so.',
      'step_committed',
    ]);
  });

  it('reports nothing of a call before the step that asks for it, even if its worker is faster', () => {
    const calls = [call('A', 'succeeded')];
    const [said, whole] = [step(1, 'Let', { calls }), step(1, 'Let me.', { calls, committed: true })];
    expect(changesOf(turn({ steps: [said] }), turn({ steps: [whole] })).slice(2)).toEqual([
      'text 1 Let',
      'text 1  me.',
      'step_committed',
      'call_started A',
      'call_ended A',
    ]);
    expect(changesOf(turn({ status: 'cancelled', steps: [said] })).slice(2)).toEqual([
      'text 1 Let',
      'turn_ended',
    ]);
  });

  it('reports ends in order of arrival, and the start of a call that never ran', () => {
    const calls = (a: CallView, b: CallView) => [step(1, '', { committed: true, calls: [a, b] })];
    expect(
      changesOf(
        turn({ steps: calls(call('A', 'running'), call('B', 'queued')) }),
        turn({
          steps: calls(
            call('A', 'succeeded', { ended_at: '2026-01-01T00:00:02.000Z' }),
            call('B', 'failed', { ended_at: '2026-01-01T00:00:01.000Z' }),
          ),
        }),
      ).slice(3),
    ).toEqual(['call_started A', 'call_started B', 'call_ended B', 'call_ended A']);
  });

  it('reports each question to a person once', () => {
    const asking = (state: CallView['state'], question?: number) => {
      const asked =
        question === undefined ? {} : { question: { number: question, message: '?', schema: {} } };
      return turn({ steps: [step(1, '', { committed: true, calls: [call('A', state, asked)] })] });
    };
    expect(
      changesOf(
        asking('awaiting_approval'),
        asking('awaiting_approval'),
        asking('running'),
        asking('awaiting_input', 1),
        asking('running', 1),
        asking('awaiting_input', 2),
      ).slice(3),
    ).toEqual(['call_asks A', 'call_started A', 'call_asks A', 'call_asks A']);
  });

  it('reports a stopped turn’s open calls before its end, and nothing after it', () => {
    const open = [step(1, '', { committed: true, calls: [call('A', 'running')] })];
    const later = [step(1, '', { committed: true, calls: [call('A', 'succeeded')] })];
    expect(
      changesOf(
        turn({ status: 'cancelled', steps: open }),
        turn({ status: 'cancelled', steps: later }),
      ).slice(3),
    ).toEqual(['call_started A', 'call_ended A', 'turn_ended']);
  });

  it('omits the start of a turn that was stopped while queued', () => {
    expect(changesOf(turn({ status: 'cancelled', started_at: undefined }))).toEqual(['turn_ended']);
  });
});
