import { describe, expect, it } from '@jest/globals';
import { eventSchema, viewSchema, type Journal, type TurnView } from '#contracts';
import { approvalExpiry } from '../rules/call-rules.js';
import {
  answerRow,
  at,
  callId,
  callRow,
  claimRow,
  CONVERSATION_ID,
  journalOf,
  outcomeRow,
  stepRow,
  turnRow,
} from '../testing/rows.js';
import { eventsOfCommit } from '../testing/step-events.js';
import { endEvent } from './end-event.js';
import { reduce } from './reduce.js';
import { toolEndEvent } from './tool-end.js';
import { callViewOf, fittingView, turnViewOf, viewOf } from './view-of.js';

const claims = [claimRow('turn_1', 1, { owner: 'orchestrator-1', at: at(50) })];
const partial = { turn_id: 'turn_1', step: 2, attempt: 101, text: 'So far' };

function callIn(rows: Partial<Journal>, call = callRow(1)) {
  const step = stepRow(1, '', [call]);
  return callViewOf(journalOf({ steps: [step], claims, ...rows }), step, call);
}

describe('the view of a turn', () => {
  it('fits its schema and names the person, the times and the end', () => {
    const steps = [stepRow(1, 'Hello'), stepRow(2, 'Done.')];
    const view = viewOf({ _id: CONVERSATION_ID, title: 'T' }, [journalOf({ steps, claims })], false);
    expect(viewSchema.parse(view)).toStrictEqual(view);
    expect(view.turns[0]).toMatchObject({
      status: 'completed',
      by: 'user_1',
      started_at: at(50),
      ended_at: at(200),
      message_id: 'turn_1:2',
      usage: { input_tokens: 20 },
    });
  });

  it('says to people what the tool says, and how its result breaks its schema, in events, too', () => {
    const outcomes = [outcomeRow(1, { explanation: 'Done.', output_problem: 'sum is required' })];
    const explanation = 'The result breaks the output schema of its tool: sum is required. Done.';
    expect(callIn({ outcomes })).toMatchObject({ state: 'succeeded', explanation });
    expect(toolEndEvent(callRow(1), outcomes[0]!)).toMatchObject({ type: 'tool_complete', explanation });
    expect(callIn({ outcomes: [outcomeRow(1)] })).not.toHaveProperty('explanation');
  });

  it('shows streamed text if it belongs to the next step', () => {
    const journal = journalOf({ steps: [stepRow(1, '', [callRow(1)])], outcomes: [outcomeRow(1)], claims });
    const shown = (change: object) => turnViewOf(journal, [{ ...partial, ...change }]).steps;
    expect(shown({})).toHaveLength(2);
    expect(shown({})[1]).toEqual({ n: 2, attempt: 101, text: 'So far', calls: [] });
    expect(shown({ text: 'cut \ud83d' })[1]!.text).toBe('cut ');
    for (const other of [{ step: 1 }, { step: 3 }, { turn_id: 'turn_2' }])
      expect(shown(other)).toHaveLength(1);
    expect(turnViewOf({ ...journal, outcomes: [] }, [partial]).steps).toHaveLength(1);
    const steps = [...journal.steps, stepRow(2, '', [], { kind: 'cancel' })];
    expect(turnViewOf({ ...journal, steps }, [{ ...partial, step: 3 }]).steps).toHaveLength(1);
  });

  it.each([
    ['end_turn', undefined],
    ['max_tokens', 'max_tokens'],
    ['refusal', 'refusal'],
  ] as const)('says of a model that stopped for %s: %s, as its event and the reducer do', (reason, told) => {
    const end = stepRow(1, 'So far', [], { stop_reason: reason });
    const journal = journalOf({ steps: [end], claims, outcomes: [] });
    expect(turnViewOf(journal).stop_reason).toBe(told);
    const complete = endEvent(journal, end);
    expect(eventSchema.parse(complete)).toStrictEqual(complete);
    const running = { ...turnViewOf(journal), status: 'running' as const, stop_reason: undefined };
    const view = { ...viewOf({ _id: CONVERSATION_ID, title: 'T' }, [journal], false), turns: [running] };
    expect(reduce(view, complete).turns[0]!.stop_reason).toBe(told);
  });

  it('names the texts that a formatted answer replaces, as its event does', () => {
    const steps = [
      stepRow(1, 'I add.', [callRow(1)]),
      stepRow(2, 'Wait', [], { stop_reason: 'pause_turn' }),
      stepRow(3, 'Five.'),
      stepRow(4, '', [], { final: false }),
      stepRow(5, 'It is five.', [], { final: true }),
    ];
    const journal = journalOf({ steps, claims, outcomes: [outcomeRow(1)] });
    const view = viewOf({ _id: CONVERSATION_ID, title: 'T' }, [journal], false);
    expect(view.turns[0]!.steps.map(({ replaces }) => replaces)).toEqual([...Array(4), [3]]);
    expect(viewSchema.parse(view)).toStrictEqual(view);
    const before = journalOf({ steps: steps.slice(0, 3), claims });
    expect(turnViewOf(before).steps.at(-1)).not.toHaveProperty('replaces');
    const [committed] = eventsOfCommit(journal, steps[4]!);
    expect(committed).toMatchObject({ type: 'step_committed', replaces: [3] });
    expect(eventSchema.parse(committed)).toStrictEqual(committed);
  });

  it.each(['cancel', 'fail'] as const)('shows a %s row only if it keeps text', (kind) => {
    const ended = (text: string) =>
      turnViewOf(journalOf({ steps: [stepRow(1, text, [], { kind })], claims }));
    expect(ended('').steps).toEqual([]);
    expect(ended('Half').steps).toHaveLength(1);
    expect(ended('Half').message_id).toBeUndefined();
    expect(ended('').error).toEqual(
      kind === 'fail' ? { code: 'internal', message: 'The turn failed.' } : undefined,
    );
  });
});

describe('the view of a call', () => {
  it('runs under its highest run claim', () => {
    expect(callIn({})).toMatchObject({ state: 'queued', attempt: 0 });
    const two = [claimRow(callId(1), 2, { at: at(90) }), claimRow(callId(1), 1)];
    expect(callIn({ claims: two })).toMatchObject({ state: 'running', attempt: 2, started_at: at(90) });
    const settling = [claimRow(callId(1), 1, { purpose: 'settle', decides: outcomeRow(1) })];
    expect(callIn({ claims: settling })).toMatchObject({ state: 'queued', attempt: 0 });
  });

  it('ends with its outcome, even when a lost attempt was faster than the next one', () => {
    const two = [claimRow(callId(1), 1), claimRow(callId(1), 2)];
    expect(callIn({ claims: two, outcomes: [outcomeRow(1)] })).toMatchObject({
      state: 'succeeded',
      attempt: 1,
      result: '5',
      started_at: at(480),
      ended_at: at(500),
    });
    const never = outcomeRow(1, { status: 'failure', data: null, attempt: 0, error: null });
    expect(callIn({ outcomes: [never] })).toMatchObject({
      state: 'failed',
      error: { error_type: 'ToolExecutionError' },
    });
    expect(callIn({ outcomes: [never] })).not.toHaveProperty('started_at');
  });

  it('shows full arguments while a person has to judge them, and cut ones before and after', () => {
    const long = callRow(1, { approval: 'required', arguments: { text: 'x'.repeat(9_000) } });
    expect(callIn({}, long)).toMatchObject({
      state: 'awaiting_approval',
      args: long.arguments,
      expires_at: approvalExpiry(stepRow(1), callRow(1)),
    });
    const answered = callIn({ answers: [answerRow(1, 'approval', { decision: 'approve' })] }, long);
    const approval = { decision: 'approve', by: 'user_1' };
    expect(answered).toMatchObject({ state: 'queued', truncated: true, approval });
    expect(callIn({}, long)).not.toHaveProperty('approval');
    expect(answered).not.toHaveProperty('expires_at');
    expect(callIn({ outcomes: [outcomeRow(1)] }, long)).toMatchObject({
      state: 'succeeded',
      truncated: true,
    });
  });

  it('waits for the answer to its question and keeps the question until it ends', () => {
    const question = { message: 'Which?', schema: {}, among: 2, expires_at: at(9_000) };
    const rows = { claims: [claimRow(callId(1))], answers: [answerRow(1, 'question', { question })] };
    expect(callIn(rows)).toMatchObject({ state: 'awaiting_input', expires_at: at(9_000) });
    const answers = [...rows.answers, answerRow(1, 'input', { content: {} })];
    const answered = callIn({ ...rows, answers });
    expect(answered).toMatchObject({ state: 'running', question: { message: 'Which?', among: 2 } });
    expect(answered).not.toHaveProperty('expires_at');
    expect(callIn({ ...rows, answers, outcomes: [outcomeRow(1)] })).not.toHaveProperty('question');
  });
});

describe('fittingView', () => {
  const turn = (number: number, status: TurnView['status'], size: number): TurnView => {
    const { _id: turn_id, client_message_id } = turnRow(number);
    const content = '€'.repeat(size / 3);
    return { turn_id, number, content, by: 'u', client_message_id, status, at: at(0), steps: [] };
  };
  const numbersOf = (turns: TurnView[]) => {
    const view = fittingView({ conversation_id: CONVERSATION_ID, title: '', earlier: false, turns });
    expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThanOrEqual(1024 * 1024);
    expect(view.earlier).toBe(view.turns.length < turns.length);
    return view.turns.map(({ number }) => number);
  };
  const KIB_400 = 400_000;

  it('counts bytes and drops the oldest ended turns first', () => {
    const turns = [1, 2, 3, 4].map((number) => turn(number, 'completed', KIB_400));
    expect(numbersOf(turns)).toEqual([3, 4]);
    expect(numbersOf(turns.slice(2))).toEqual([3, 4]);
  });

  it('never drops the active turn, and drops waiting ones only from the end', () => {
    const ended = turn(1, 'completed', KIB_400);
    const active = turn(2, 'running', KIB_400);
    const waiting = [3, 4, 5].map((number) => turn(number, 'queued', KIB_400));
    expect(numbersOf([ended, active, waiting[0]!])).toEqual([2, 3]);
    expect(numbersOf([ended, active, ...waiting])).toEqual([2, 3]);
  });
});
