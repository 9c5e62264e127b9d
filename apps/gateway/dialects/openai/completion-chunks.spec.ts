import { describe, expect, it } from '@jest/globals';
import type { TurnView } from '#contracts';
import { CompletionChunks } from './completion-chunks.js';
import { toCompletion } from './completion.js';
import { OpenAiRefusal, toOpenAiError } from './openai-error.js';

const HEAD = { id: 'chatcmpl-1', created: 1_767_323_045, model: 'switchyard' };
const USAGE = { input_tokens: 100, output_tokens: 20, cached_tokens: 60 };

function turn(change: Partial<TurnView> = {}): TurnView {
  const steps = [{ n: 1, attempt: 100, text: 'Hello.', calls: [], committed: true as const }];
  const named = { turn_id: 't', number: 1, content: 'Hi', by: 'ann', client_message_id: 'm', at: '' };
  return { ...named, status: 'completed', usage: USAGE, steps, ...change };
}

const parse = (events: string[]) =>
  events.map((event) => JSON.parse(event.slice('data: '.length)) as unknown);

describe('CompletionChunks', () => {
  it('sends the role once, then the text, then the finish reason', () => {
    const chunks = new CompletionChunks(HEAD, false);
    const events = [
      ...chunks.next({ type: 'turn_started' }),
      ...chunks.next({ type: 'text', step: 1, text: 'Hel' }),
      ...chunks.next({ type: 'text', step: 1, text: 'lo.' }),
      ...chunks.end(turn(), 'end_turn'),
    ];
    expect(events.pop()).toBe('data: [DONE]\n\n');
    expect(events.every((event) => event.startsWith('data: {') && event.endsWith('}\n\n'))).toBe(true);
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...HEAD,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
    expect(parse(events)).toStrictEqual([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo.' }),
      chunk({}, 'stop'),
    ]);
  });

  it('sends usage at the end when requested, and a null usage before it', () => {
    const chunks = new CompletionChunks(HEAD, true);
    const events = parse(chunks.end(turn(), 'max_tokens').slice(0, -1)) as Record<string, unknown>[];
    expect(events.map(({ usage }) => usage)).toStrictEqual([
      null,
      null,
      {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 60 },
      },
    ]);
    expect(events.at(-1)!.choices).toEqual([]);
    expect(events[1]).toMatchObject({ choices: [{ finish_reason: 'length' }] });
  });

  it('ends with an error when the server stops', () => {
    const [event] = parse(new CompletionChunks(HEAD, false).next({ type: 'gateway_stopping' }));
    expect(event).toEqual({
      error: { message: expect.any(String), type: 'server_error', param: null, code: 'server_restarting' },
    });
  });
});

describe('an OpenAI completion', () => {
  it('contains the whole text and its usage', () => {
    expect(toCompletion(HEAD, turn(), 'end_turn')).toStrictEqual({
      ...HEAD,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello.', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 60 },
      },
    });
  });

  it('has the finish reason content_filter when the model declined', () => {
    const refused = turn({ status: 'failed', error: { code: 'refused', message: 'No.' }, usage: undefined });
    expect(toCompletion(HEAD, refused, null)).toMatchObject({
      choices: [{ finish_reason: 'content_filter' }],
      usage: { total_tokens: 0 },
    });
  });

  it.each<[Partial<TurnView>, number, string]>([
    [{ status: 'cancelled' }, 409, 'cancelled'],
    [{ status: 'failed', error: { code: 'model_error', message: 'Down.' } }, 502, 'model_error'],
    [{ status: 'failed', error: { code: 'budget_exceeded', message: 'Enough.' } }, 500, 'budget_exceeded'],
    [
      { status: 'failed', error: { code: 'context_overflow', message: 'Long.' } },
      400,
      'context_length_exceeded',
    ],
    [{ status: 'failed' }, 500, 'internal'],
  ])('is an error for a turn that ended with %j', (change, status, code) => {
    try {
      toCompletion(HEAD, turn(change), null);
    } catch (error) {
      expect((error as OpenAiRefusal).about).toMatchObject({ status });
      return expect(toOpenAiError(error as OpenAiRefusal).code).toBe(code);
    }
    throw new Error('was taken');
  });
});
