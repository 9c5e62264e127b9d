import { describe, expect, it } from '@jest/globals';
import type { Usage } from '#contracts';
import { noFaults } from '#faults';
import { ModelError, type ModelPart, type ModelRequest } from '#llm';
import { SeededRandom, VirtualClock } from '#time/testing';
import type { AskPolicy } from './ask-policy.js';
import { ask } from './ask.js';
import { ChatSpan } from './chat-span.js';
import { readParts } from './model-answer.js';
import type { StepPart } from './step-part.js';

type Script = (attempt: number) => AsyncIterable<ModelPart>;
type Changes = Partial<AskPolicy> & { signal?: AbortSignal; requests?: ModelRequest[] };

const REQUEST = { model: 'one/a', system: '', messages: [], tools: [], max_output_tokens: 1_000 };

const WORDS = 'word '.repeat(60);
/** Of 300 characters; the request is only the brackets of no tools. */
const ESTIMATED = { input_tokens: 1, output_tokens: 100, cached_tokens: 0 };
const TOLD = { input_tokens: 10, output_tokens: 5, cached_tokens: 0 };
const END: ModelPart = { type: 'end', stop_reason: 'end_turn', usage: TOLD };
const busy = new ModelError('Busy.', 'overloaded', { retryable: true, retryAfterMs: 1, status: 529 });

/** One step by a model that speaks as scripted, and what its budget was told of each attempt. */
async function run(script: Script, changes: Changes = {}) {
  const noted: (Usage | undefined)[] = [];
  let attempts = 0;
  const random = new SeededRandom(1);
  const clock = new VirtualClock(random);
  const { signal = new AbortController().signal, requests = [REQUEST], ...rules } = changes;
  const policy: AskPolicy = {
    clock,
    random,
    faultPoint: noFaults,
    model: { stream: () => script(attempts++) },
    admission: {
      admit: () => Promise.resolve({ done: (usage) => noted.push(usage) }),
      slowDown: () => undefined,
    },
    startChat: (request) => new ChatSpan(request, { parent: undefined, place: {} }),
    claimAttempt: 1,
    retriesBefore: 0,
    maxRetries: 2,
    overloadRetries: 0,
    ...rules,
  };
  const told: StepPart[] = [];
  const reading = readParts(ask(requests, policy, signal), [(part) => told.push(part)]);
  let isOver = false;
  const over = () => (isOver = true);
  reading.then(over, over);
  await clock.runUntil('the end of the step', () => isOver, 60_000);
  return { streamed: await reading, noted, told };
}

async function* say(...parts: (ModelPart | Error)[]): AsyncIterable<ModelPart> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

describe('usage of an attempt without usage from its provider', () => {
  it('is estimated when a Stop ends it', async () => {
    const stop = new AbortController();
    async function* speakOn(): AsyncIterable<ModelPart> {
      yield { type: 'text', text: WORDS };
      stop.abort(new Error('stopped'));
      yield END;
    }
    const stopped = await run(
      async function* () {
        for await (const part of speakOn()) {
          stop.signal.throwIfAborted();
          yield part;
        }
      },
      { signal: stop.signal },
    );
    expect(stopped.noted).toEqual([ESTIMATED]);
    expect(stopped.streamed).toMatchObject({ ended: 'aborted', usage: ESTIMATED });
  });

  it('is estimated once for each attempt that breaks off, and reported by the one that ends', async () => {
    const { noted, streamed } = await run((attempt) =>
      attempt < 2 ? say({ type: 'text', text: WORDS }, busy) : say({ type: 'text', text: WORDS }, END),
    );
    expect(noted).toEqual([ESTIMATED, ESTIMATED, TOLD]);
    expect(streamed.usage).toEqual({ input_tokens: 12, output_tokens: 205, cached_tokens: 0 });
  });

  it('is not counted when the provider refused the request', async () => {
    const { noted, streamed } = await run(() => say(busy));
    expect(noted).toEqual([undefined, undefined, undefined]);
    expect(streamed.usage).toEqual({ input_tokens: 0, output_tokens: 0, cached_tokens: 0 });
  });

  it('is absent when no provider answers', async () => {
    const { noted, streamed } = await run(() => say({ type: 'text', text: WORDS }, END), {
      admission: undefined,
    });
    expect(noted).toEqual([]);
    expect(streamed.usage).toEqual({ input_tokens: 0, output_tokens: 0, cached_tokens: 0 });
  });

  it('is absent for a step that was stopped before it was sent', async () => {
    const { noted, streamed } = await run(() => say(END), {
      signal: AbortSignal.abort(new Error('stopped')),
    });
    expect([noted, streamed.ended]).toEqual([[undefined], 'aborted']);
  });
});

describe('the parts of a step', () => {
  const none = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };
  const said = (text: string): ModelPart => ({ type: 'text', text });

  it('are every attempt with its wait, and the text of the model that answered', async () => {
    const { told, streamed } = await run((attempt) => (attempt === 0 ? say(busy) : say(said('Hi.'), END)));
    expect(told).toEqual([
      { type: 'attempt', attempt: 100, model: 'one/a', isRestart: false },
      { type: 'usage', model: 'one/a', usage: none, sent: { outcome: 'overloaded' } },
      { type: 'retry', model: 'one/a', kind: 'overloaded' },
      { type: 'waiting', reason: 'Busy.', retryAfterMs: 1 },
      { type: 'attempt', attempt: 101, model: 'one/a', isRestart: true },
      { type: 'text', text: 'Hi.' },
      { type: 'usage', model: 'one/a', usage: TOLD, sent: { outcome: 'ok', firstPartMs: 0 } },
      { type: 'end', ended: 'answered', stopReason: 'end_turn' },
    ]);
    expect(streamed).toMatchObject({ model: 'one/a', attempt: 101, blocks: [{ type: 'text', text: 'Hi.' }] });
  });

  it('continue with another model, of which only the text counts', async () => {
    const other = { ...REQUEST, model: 'two/b' };
    const { told, streamed } = await run(
      (attempt) => (attempt === 0 ? say(said('No'), busy) : say(said('Yes.'), END)),
      { requests: [REQUEST, other] },
    );
    expect(told.filter(({ type }) => type === 'attempt' || type === 'fallback')).toEqual([
      { type: 'attempt', attempt: 100, model: 'one/a', isRestart: false },
      { type: 'fallback', model: 'two/b', reason: 'Busy.' },
      { type: 'attempt', attempt: 101, model: 'two/b', isRestart: true },
    ]);
    expect(streamed).toMatchObject({ model: 'two/b', blocks: [{ type: 'text', text: 'Yes.' }] });
  });

  it('report what a request waits for before it is admitted', async () => {
    const { told } = await run(() => say(END), {
      admission: {
        admit: async (_request, { onWait }) => {
          onWait({ shortOf: 'streams', waitMs: 5_000 });
          await Promise.resolve();
          onWait({ shortOf: 'tokens', waitMs: 10_000 });
          return { done: () => undefined };
        },
        slowDown: () => undefined,
      },
    });
    const waits = told.map((part) => (part.type === 'waiting' ? part.retryAfterMs : part.type));
    expect(waits).toEqual(['attempt', 5_000, 10_000, 'usage', 'end']);
  });

  it('reject with the error of a model that throws an unexpected one', async () => {
    const own = new TypeError('not a function');
    await expect(run(() => say(said('Hi.'), own))).rejects.toBe(own);
  });
});
