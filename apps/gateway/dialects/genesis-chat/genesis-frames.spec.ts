import { describe, expect, it } from '@jest/globals';
import type { TurnView } from '#contracts';
import type { TurnNews } from '../stream/turn-stream.js';
import type { FrameTimes } from './frame-times.js';
import { GenesisFrames } from './genesis-frames.js';
import { aCall, aStep, aTurn, failed, PLACE, succeeded } from './testing/sample-turn.js';

const newFrames = (times: FrameTimes = { messageAt: 1_000 }, isResumed = false) =>
  new GenesisFrames(PLACE, times, { wall: () => Date.parse('2026-01-01T00:00:09.000Z') }, { isResumed });

/** What is said, without where. */
function framesOf(frames: GenesisFrames, ...news: TurnNews[]): unknown[] {
  return news
    .flatMap((one) => frames.next(one))
    .map(({ frame: { conversation_id, turn_id, ...frame } }) => {
      expect({ conversation_id, turn_id }).toEqual(PLACE);
      return frame;
    });
}
const text = (step: number, content: string): TurnNews => ({ type: 'text', step, text: content });
const token = (content: string) => ({ type: 'token', content });
const ended = (status: TurnView['status'], more: Partial<TurnView> = {}): TurnNews => ({
  type: 'turn_ended',
  turn: aTurn(status, more),
});

describe('genesis frames', () => {
  it('send text at once, a blank line before the text of a later step, and the last step as the message', () => {
    const frames = newFrames();
    expect(
      framesOf(
        frames,
        { type: 'turn_started' },
        text(1, 'Let me '),
        text(1, 'see.'),
        { type: 'step_committed', step: aStep(1, 'Let me see.') },
        text(2, '15'),
        text(2, '!'),
        ended('completed', { message_id: 'turn_1:2' }),
      ),
    ).toEqual([
      token('Let me '),
      token('see.'),
      token('\n\n'),
      token('15'),
      token('!'),
      { type: 'complete', message_id: 'turn_1:2', status: 'completed' },
    ]);
  });

  it('send no blank line before the first text, whichever step has it', () => {
    expect(framesOf(newFrames(), { type: 'step_committed', step: aStep(1, '') }, text(2, 'x'))).toEqual([
      token('x'),
    ]);
  });

  it('send a call with its input as text and as an object, and its result twice', () => {
    const call = aCall('A');
    const frames = newFrames();
    const started = framesOf(frames, { type: 'call_started', step: 1, call });
    const end = { ...succeeded(call, '15'), status: 'no_change_needed' as const };
    const done = frames.next({ type: 'call_ended', step: 1, call: end });
    const named = { tool_name: 'multiply', tool_call_id: call.tool_call_id };
    expect(started).toEqual([
      {
        type: 'tool_start',
        ...named,
        tool_input: '{"a":5,"b":3}',
        tool_args: { a: 5, b: 3 },
        source: 'local',
        timestamp: '2026-01-01T00:00:01.000Z',
      },
    ]);
    expect(done.map(({ frame }) => frame)).toEqual([
      {
        type: 'tool_complete',
        ...named,
        tool_result: '15',
        tool_output: '15',
        source: 'local',
        status: 'no_change_needed',
        timestamp: '2026-01-01T00:00:02.000Z',
        duration_ms: 12,
        ...PLACE,
      },
    ]);
  });

  it('close the card of a failed call before they send the error', () => {
    const call = aCall('A', { display_name: 'mcp:files:read', source: 'mcp' });
    const told = framesOf(
      newFrames(),
      { type: 'call_started', step: 1, call },
      {
        type: 'call_ended',
        step: 1,
        call: failed(call, 'no such file'),
      },
    );
    expect(told).toMatchObject([
      { type: 'tool_start', tool_name: 'mcp:files:read', source: 'mcp' },
      {
        type: 'tool_complete',
        tool_result: 'Error: no such file',
        tool_output: 'Error: no such file',
        status: 'failure',
      },
      { type: 'tool_error', tool_name: 'mcp:files:read', error_message: 'no such file' },
    ]);
  });

  it('open the card of a call that waits for approval, and nothing more when it then runs', () => {
    const call = aCall('A', { state: 'awaiting_approval', started_at: undefined });
    const told = framesOf(
      newFrames(),
      { type: 'step_committed', step: aStep(1, '', [call]) },
      { type: 'call_asks', step: 1, call },
      { type: 'call_started', step: 1, call: aCall('A') },
      { type: 'call_ended', step: 1, call: succeeded(aCall('A'), '15') },
    );
    expect(told).toMatchObject([
      { type: 'tool_start', timestamp: '2026-01-01T00:00:09.000Z' },
      { type: 'tool_complete' },
    ]);
  });

  it('announce that the answer restarts, because sent text cannot be taken back', () => {
    const told = framesOf(
      newFrames(),
      text(1, 'Hel'),
      { type: 'step_restarted', step: 1 },
      text(1, 'Good day'),
    );
    expect(told).toEqual([token('Hel'), token('\n\n*(answer restarted)*\n\n'), token('Good day')]);
  });

  it.each([
    ['model_error', 'LLM_ERROR'],
    ['refused', 'LLM_ERROR'],
    ['context_overflow', 'LLM_ERROR'],
    ['budget_exceeded', 'BUDGET_EXCEEDED'],
    ['internal', 'INTERNAL_ERROR'],
  ] as const)('send %s as the error, a readable text, and complete', (code, shown) => {
    const message = 'The model did not answer.';
    expect(framesOf(newFrames(), text(1, 'Hel'), ended('failed', { error: { code, message } }))).toEqual([
      token('Hel'),
      { type: 'error', message, code: shown },
      token(message),
      { type: 'complete', message_id: 'turn_1', status: 'failed' },
    ]);
  });

  it('send only complete for a stopped turn, and close what was open', () => {
    const call = aCall('A');
    const told = framesOf(
      newFrames(),
      { type: 'call_started', step: 1, call },
      { type: 'call_ended', step: 1, call },
      ended('cancelled'),
    );
    expect(told).toMatchObject([
      { type: 'tool_start' },
      { type: 'tool_complete', status: 'failure', tool_result: expect.stringMatching(/^Error: /) },
      { type: 'tool_error' },
      { type: 'complete', message_id: 'turn_1', status: 'cancelled' },
    ]);
  });

  it('send nothing for thinking, progress, waiting, or the end of this process', () => {
    const fields = { ...PLACE, timestamp: '2026-01-01T00:00:00.000Z' };
    const passing: TurnNews[] = [
      { type: 'thinking', ...fields, step: 1, attempt: 100, content: 'hm', offset: 0 },
      { type: 'tool_progress', ...fields, step: 1, tool_call_id: aCall('A').tool_call_id, progress: 1 },
      { type: 'waiting', ...fields, reason: 'overloaded', retry_after_ms: 5 },
      { type: 'call_asks', step: 1, call: aCall('A', { state: 'awaiting_input' }) },
      { type: 'gateway_stopping' },
    ];
    expect(framesOf(newFrames(), ...passing)).toEqual([]);
  });
});

describe('pacing of genesis frames', () => {
  const complete = ended('completed', { message_id: 'turn_1:1' });

  it('holds only complete, until 300 ms after the message', () => {
    const frames = newFrames({ messageAt: 1_000 });
    const times = [text(1, 'Hi'), complete].flatMap((news) => frames.next(news));
    expect(times.map(({ notBefore }) => notBefore)).toEqual([-Infinity, 1_300]);
  });

  it('holds everything until 200 ms after the previous complete', () => {
    const frames = newFrames({ messageAt: 1_000, completedAt: 5_000 });
    const times = [text(1, 'Hi'), complete].flatMap((news) => frames.next(news));
    expect(times.map(({ notBefore }) => notBefore)).toEqual([5_200, 5_200]);
  });

  it('holds nothing for a turn whose message came on another socket', () => {
    expect(newFrames({}).next(complete)[0]!.notBefore).toBe(-Infinity);
  });
});

describe('genesis frames on the socket that resumes a turn', () => {
  it('send the text so far as one token, then the rest', () => {
    const frames = newFrames({}, true);
    const call = aCall('A');
    expect(
      framesOf(
        frames,
        text(1, 'Let me see.'),
        { type: 'call_started', step: 1, call },
        { type: 'call_ended', step: 1, call: succeeded(call, '15') },
        text(2, 'It is '),
      ),
    ).toEqual([]);
    expect(frames.caughtUp().map(({ frame }) => frame)).toEqual([
      { ...token('Let me see.\n\nIt is '), ...PLACE },
    ]);
    expect(frames.caughtUp()).toEqual([]);
    expect(framesOf(frames, text(2, '15'), ended('completed', { message_id: 'turn_1:2' }))).toEqual([
      token('15'),
      { type: 'complete', message_id: 'turn_1:2', status: 'completed' },
    ]);
  });

  it('open the card of a call that is still running', () => {
    const frames = newFrames({}, true);
    framesOf(frames, text(1, 'Let me see.'), { type: 'call_started', step: 1, call: aCall('A') });
    expect(frames.caughtUp().map(({ frame }) => frame.type)).toEqual(['token', 'tool_start']);
  });

  it('send a turn that has ended as a whole', () => {
    const frames = newFrames({}, true);
    expect(framesOf(frames, text(1, 'Hello.'), ended('completed', { message_id: 'turn_1:1' }))).toEqual([
      token('Hello.'),
      { type: 'complete', message_id: 'turn_1:1', status: 'completed' },
    ]);
  });

  it('send nothing for a turn that has not begun', () => {
    const frames = newFrames({}, true);
    expect(frames.caughtUp()).toEqual([]);
    expect(framesOf(frames, text(1, 'Hello.'))).toEqual([token('Hello.')]);
  });
});
