import { describe, expect, it } from '@jest/globals';
import type { Usage } from '#contracts';
import { ModelError, type ModelRequest } from '#llm';
import type { ModelAsker } from './model-asker.js';
import { Summariser, type Asking } from './summariser.js';

type Answer = Awaited<ReturnType<ModelAsker['ask']>>;
type Streamed = Answer['streamed'];

const HISTORY = [
  { role: 'user' as const, content: [{ type: 'text' as const, text: 'plums '.repeat(9_000) }] },
];
const LIMITS = { windowTokens: undefined, refusedTokens: Infinity, maxOutputTokens: 1_000 };
const NO_LONGER = new ModelError('prompt is too long', 'context_overflow', { retryable: false });

const used = (input_tokens: number, output_tokens: number): Usage => ({
  input_tokens,
  output_tokens,
  cached_tokens: 0,
});

/** A model whose requests end like this, in order; each one is told how many attempts there were before. */
function summarise(...ends: Partial<Streamed>[]) {
  const requests: { request: Omit<ModelRequest, 'model'>; retriesBefore: number | undefined }[] = [];
  const asker = {
    candidates: ['one/a'],
    ask: async ({ request, retriesBefore }: Parameters<ModelAsker['ask']>[0]): Promise<Answer> => {
      const attempt = 101 + requests.push({ request, retriesBefore }) - 1;
      return { model: 'one/a', streamed: { attempt, blocks: [], ...ends[requests.length - 1] } as Streamed };
    },
  };
  const asking = { emit: () => undefined, onAttempt: () => undefined } as Partial<Asking> as Asking;
  return { requests, answer: new Summariser(asker, 1).summarise(asking, HISTORY, LIMITS) };
}

const tooLong = (usage: Usage) => ({ ended: 'failed' as const, error: NO_LONGER, usage });
const answered = (text: string, usage: Usage) => ({
  ended: 'answered' as const,
  blocks: [{ type: 'text' as const, text }],
  asked: [],
  stopReason: 'end_turn' as const,
  usage,
});

describe('what is used for a summary', () => {
  it('is that of every request: of those that were too long, and of the one that was not', async () => {
    const { answer, requests } = summarise(
      tooLong(used(400, 1)),
      tooLong(used(200, 2)),
      answered('Short.', used(100, 7)),
    );
    expect((await answer).streamed).toMatchObject({ ended: 'answered', usage: used(700, 10) });
    const lengths = requests.map(({ request }) => JSON.stringify(request.messages).length);
    expect(lengths.toSorted((a, b) => b - a)).toEqual(lengths);
    expect(new Set(lengths).size).toBe(3);
  });

  it('is that of the one without a text, too', async () => {
    const { answer, requests } = summarise(answered(' ', used(100, 50)), answered('Short.', used(100, 7)));
    expect((await answer).streamed.usage).toEqual(used(200, 57));
    expect(requests).toHaveLength(2);
  });

  it('is told of one that stays too long however often it is halved', async () => {
    const { answer, requests } = summarise(...Array.from({ length: 9 }, () => tooLong(used(1, 0))));
    expect((await answer).streamed).toMatchObject({ ended: 'failed', usage: used(5, 0) });
    expect(requests).toHaveLength(5);
  });
});
