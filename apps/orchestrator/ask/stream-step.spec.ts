import { describe, expect, it } from '@jest/globals';
import type { Usage } from '#contracts';
import { noFaults } from '#faults';
import { ModelError, type ModelPart } from '#llm';
import { SeededRandom, VirtualClock } from '#time/testing';
import { streamStep, type StreamStep } from './stream-step.js';

type Script = (attempt: number) => AsyncIterable<ModelPart>;

const WORDS = 'word '.repeat(60);
/** Of 300 characters; the request is only the brackets of no tools. */
const ESTIMATED = { input_tokens: 1, output_tokens: 100, cached_tokens: 0 };
const TOLD = { input_tokens: 10, output_tokens: 5, cached_tokens: 0 };
const END: ModelPart = { type: 'end', stop_reason: 'end_turn', usage: TOLD };
const busy = new ModelError('Busy.', 'overloaded', { retryable: true, retryAfterMs: 1, status: 529 });

/** One step by a model that speaks as scripted, and what its budget was told of each attempt. */
async function run(script: Script, changes: Partial<StreamStep> = {}) {
  const noted: (Usage | undefined)[] = [];
  let attempts = 0;
  const random = new SeededRandom(1);
  const clock = new VirtualClock(random);
  const streaming = streamStep({
    clock,
    random,
    faultPoint: noFaults,
    model: { stream: () => script(attempts++) },
    request: { model: 'one/a', system: '', messages: [], tools: [], max_output_tokens: 1_000 },
    isCounted: true,
    place: { conversation_id: 'conv_1', turn_id: 'turn_1', step: 1 },
    claimAttempt: 1,
    maxRetries: 2,
    overloadRetries: 0,
    retriesBefore: 0,
    canGiveUp: false,
    signal: new AbortController().signal,
    emit: () => undefined,
    admit: () => Promise.resolve({ done: (usage) => noted.push(usage) }),
    onRetry: () => undefined,
    onRefusal: () => undefined,
    onAttempt: () => undefined,
    ...changes,
  });
  let isOver = false;
  void streaming.then(() => (isOver = true));
  await clock.runUntil('the end of the step', () => isOver, 60_000);
  const streamed = await streaming;
  return { streamed, noted };
}

async function* say(...parts: (ModelPart | Error)[]): AsyncIterable<ModelPart> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

describe('usage of an attempt whose provider has told none', () => {
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

  it('is estimated for each attempt that breaks off, once, and told for the one that ends', async () => {
    const { noted, streamed } = await run((attempt) =>
      attempt < 2 ? say({ type: 'text', text: WORDS }, busy) : say({ type: 'text', text: WORDS }, END),
    );
    expect(noted).toEqual([ESTIMATED, ESTIMATED, TOLD]);
    expect(streamed.usage).toEqual({ input_tokens: 12, output_tokens: 205, cached_tokens: 0 });
  });

  it('counts no usage when the provider refused the request', async () => {
    const { noted, streamed } = await run(() => say(busy));
    expect(noted).toEqual([undefined, undefined, undefined]);
    expect(streamed.usage).toEqual({ input_tokens: 0, output_tokens: 0, cached_tokens: 0 });
  });

  it('is none where no provider answers', async () => {
    const { noted } = await run(() => say({ type: 'text', text: WORDS }, END), { isCounted: false });
    expect(noted).toEqual([undefined]);
  });

  it('is none for a step that was stopped before it was sent', async () => {
    const { noted, streamed } = await run(() => say(END), {
      signal: AbortSignal.abort(new Error('stopped')),
    });
    expect([noted, streamed.ended]).toEqual([[undefined], 'aborted']);
  });
});
