import { describe, expect, it } from '@jest/globals';
import type { CallView, StepView, TurnView } from '#contracts';
import type { TurnNews } from '../stream/turn-stream.js';
import { ChatAnswer } from './chat-answer.js';
import { chatEventsOf } from './chat-events.js';

function call(id: string, change: Partial<CallView> = {}): CallView {
  const names = { tool_name: 'math.add', display_name: 'add', source: 'local' as const, toolset: 'math' };
  const tool_call_id = `call_${id.padEnd(22, '0')}`;
  return { tool_call_id, ...names, state: 'queued', attempt: 0, args: { a: 1 }, ...change };
}

function step(n: number, text: string, calls: CallView[] = []): StepView {
  return { n, attempt: 100, text, committed: true, calls };
}

function ended(change: Partial<TurnView>): TurnNews {
  const at = '2026-01-01T00:00:00.000Z';
  const named = { turn_id: 'turn_1', number: 1, content: 'hello', by: 'ann', client_message_id: 'm1' };
  return { type: 'turn_ended', turn: { ...named, status: 'completed', at, steps: [], ...change } };
}

const committed = (committedStep: StepView): TurnNews => ({ type: 'step_committed', step: committedStep });
const end = (ending: CallView): TurnNews => ({ type: 'call_ended', step: 1, call: ending });

function write(...news: TurnNews[]): string[] {
  return news.flatMap(chatEventsOf);
}

/** Of each event its type, and of a call the first letter of its id. */
function outline(events: string[]): string[] {
  return events.map((event) => {
    const payload = event.slice('data: '.length, -2);
    if (payload.startsWith('[')) return payload;
    const { type, id = '', content = '', status = '' } = JSON.parse(payload) as Record<string, string>;
    return [type, id.slice(5, 6), content, status].filter((part) => part !== '').join(' ');
  });
}

describe('mcp-chat events', () => {
  it('start a call once, when its step is committed', () => {
    const [a, b] = [call('A'), call('B')];
    const events = write(
      committed(step(1, 'Let me look', [a, b])),
      { type: 'call_started', step: 1, call: b },
      end({ ...b, state: 'failed' }),
      end({ ...a, state: 'succeeded' }),
    );
    expect(outline(events)).toEqual([
      'tool_start A',
      'tool_start B',
      'tool_end B failure',
      'tool_end A success',
    ]);
  });

  it('end a call that never ran', () => {
    const ends = [end(call('A', { state: 'cancelled' })), end(call('A', { state: 'queued' }))];
    expect(outline(write(...ends))).toEqual(['tool_end A failure', 'tool_end A failure']);
  });

  it('report how a call succeeded', () => {
    const succeeded = call('A', { state: 'succeeded', status: 'partial_success' });
    expect(outline(write(end(succeeded)))).toEqual(['tool_end A partial_success']);
  });

  it('send the text of the last step only, once the turn has ended', () => {
    const steps = [step(1, 'Let me look', [call('A')]), step(2, 'a pause of the model'), step(3, '42')];
    const texts: TurnNews[] = [
      { type: 'text', step: 1, text: 'Let me look' },
      { type: 'step_restarted', step: 1 },
      { type: 'call_asks', step: 1, call: call('A', { state: 'awaiting_approval' }) },
      { type: 'thinking', step: 1, attempt: 1, content: 'hm', offset: 0 } as never,
    ];
    expect(write(...texts, committed(steps[1]!))).toEqual([]);
    expect(outline(write(ended({ steps })))).toEqual(['text 42', '[DONE]']);
    expect(outline(write(ended({ steps: [step(1, '')] })))).toEqual(['[DONE]']);
  });

  it('split the text into pieces that join to the same bytes', () => {
    const text = `${'word '.repeat(40)}\r\n\u2028\u0085"\\${'😀'.repeat(70)} \ud800.`;
    const events = write(ended({ steps: [step(1, text)] })).slice(0, -1);
    for (const event of events) expect(event).toMatch(/^data: [^\n\r\u0085\u2028\u2029]+\n\n$/);
    const contents = events.map((event) => (JSON.parse(event.slice(6)) as { content: string }).content);
    expect(contents.join('')).toBe(text);
    expect(Math.max(...contents.map(({ length }) => length))).toBeLessThanOrEqual(64);
  });

  it('end with one line when there is no answer', () => {
    const failed = (message: string) =>
      write(ended({ status: 'failed', error: { code: 'model_error', message }, steps: [step(1, 'half')] }));
    expect(failed('No\r\n model.\u2028')).toEqual(['data: [ERROR] No model.\n\n']);
    expect(failed('😀'.repeat(400))).toEqual([`data: [ERROR] ${'😀'.repeat(250)}\n\n`]);
    expect(write(ended({ status: 'cancelled' }))).toEqual(['data: [ERROR] Stopped\n\n']);
    expect(write({ type: 'gateway_stopping' })).toEqual([
      'data: [ERROR] Server is restarting, the answer will be in the conversation\n\n',
    ]);
  });
});

describe('ChatAnswer', () => {
  it('lists the calls in the model’s order, with the arguments and results that were sent', () => {
    const [a, b, c] = [call('A'), call('B', { args: { cut: '' } }), call('C')];
    const answer = new ChatAnswer();
    const failed = { error_type: 'TimeoutError', error_message: 'Too late.' };
    const last = [
      committed(step(1, 'Let me look', [a, b])),
      end({ ...b, state: 'succeeded', args: { whole: 'B' }, result: '' }),
      end({ ...a, state: 'failed', error: failed }),
    ].map((news) => answer.next(news));
    expect(last).toEqual([undefined, undefined, undefined]);
    const steps = [step(1, 'Let me look', [a, b]), step(2, '', [{ ...c, result: 'C' }]), step(3, '42')];
    expect(answer.next(ended({ steps }))).toEqual({
      status: 200,
      body: {
        response: '42',
        tool_calls: [
          { name: 'add', args: { a: 1 }, result: 'TimeoutError: Too late.' },
          { name: 'add', args: { whole: 'B' }, result: '' },
          { name: 'add', args: { a: 1 }, result: 'C' },
        ],
      },
    });
  });

  it('has a status for every other way to end', () => {
    const statusOf = (news: TurnNews) => new ChatAnswer().next(news)?.status;
    const failed = (code: 'model_error' | 'refused' | 'budget_exceeded' | 'internal') =>
      statusOf(ended({ status: 'failed', error: { code, message: 'no' } }));
    expect([failed('model_error'), failed('refused'), failed('internal')]).toEqual([502, 502, 502]);
    expect(failed('budget_exceeded')).toBe(504);
    expect(statusOf(ended({ status: 'cancelled' }))).toBe(409);
    expect(statusOf({ type: 'gateway_stopping' })).toBe(503);
  });
});
