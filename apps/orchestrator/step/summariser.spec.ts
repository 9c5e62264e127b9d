import { describe, expect, it } from '@jest/globals';
import type { Usage } from '#contracts';
import { ModelError } from '#llm';
import type { StepPart } from '../ask/step-part.js';
import type { StepRequest } from './prepare-request.js';
import { Summariser } from './summariser.js';
import type { AskOptions } from './turn-models.js';

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

/** A model whose requests come to these parts, in order; each one is told how many attempts there were before. */
function summarise(...answers: StepPart[][]) {
  const requests: { request: StepRequest; retriesBefore: number }[] = [];
  const models = {
    candidates: ['one/a'],
    count: () => undefined,
    async *ask(request: StepRequest, { retriesBefore }: AskOptions) {
      const attempt = 101 + requests.push({ request, retriesBefore }) - 1;
      yield { type: 'attempt', attempt, model: 'one/a', isRestart: retriesBefore > 0 } as const;
      yield* answers[requests.length - 1]!;
    },
  };
  const { signal } = new AbortController();
  const asking = { signal, retriesBefore: 0, viewers: { followUnseen: () => undefined } };
  return { requests, answer: new Summariser(models, 1).summarise(asking, HISTORY, LIMITS) };
}

const tooLong = (usage: Usage): StepPart[] => [
  { type: 'usage', model: 'one/a', usage },
  { type: 'end', ended: 'failed', error: NO_LONGER },
];
const answered = (text: string, usage: Usage): StepPart[] => [
  { type: 'text', text },
  { type: 'usage', model: 'one/a', usage },
  { type: 'end', ended: 'answered', stopReason: 'end_turn' },
];

describe('usage of a summary', () => {
  it('covers every request: those that were too long and the successful one', async () => {
    const { answer, requests } = summarise(
      tooLong(used(400, 1)),
      tooLong(used(200, 2)),
      answered('Short.', used(100, 7)),
    );
    expect(await answer).toMatchObject({ ended: 'answered', usage: used(700, 10) });
    const lengths = requests.map(({ request }) => JSON.stringify(request.messages).length);
    expect(lengths.toSorted((a, b) => b - a)).toEqual(lengths);
    expect(new Set(lengths).size).toBe(3);
  });

  it('covers a request that returned no text', async () => {
    const { answer, requests } = summarise(answered(' ', used(100, 50)), answered('Short.', used(100, 7)));
    expect((await answer).usage).toEqual(used(200, 57));
    expect(requests).toHaveLength(2);
  });

  it('is reported for a request that stays too long after every halving', async () => {
    const { answer, requests } = summarise(...Array.from({ length: 9 }, () => tooLong(used(1, 0))));
    expect(await answer).toMatchObject({ ended: 'failed', usage: used(5, 0) });
    expect(requests).toHaveLength(5);
  });
});
