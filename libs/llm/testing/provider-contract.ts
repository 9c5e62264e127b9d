import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { RawReply } from '../../../test/fakes/scripted-api.js';
import { waitFor } from '../../../test/services/wait-for.js';
import { ModelError, type Model, type ModelPart, type ModelRequest } from '../port/model.port.js';
import { ADD_TOOL, aRequest, callsOf, collect, MULTIPLY_TOOL, textOf, userSays } from './model-contract.js';

export interface ProviderUnderTest {
  model: Model;
  /** For `request.model`. */
  name: string;
  requests: readonly { closedEarly: Promise<boolean> }[];
  /** Requests that the real service would have refused. */
  violations: readonly unknown[];
  close(): Promise<void>;
}

/** Answers in the provider's format: a folder of `fixtures`. */
export interface ProviderFixtures {
  folder: 'anthropic' | 'openai' | 'gemini' | 'ollama' | 'compatible';
  /** Set if the service itself never reports a refusal. */
  withoutRefusal?: true;
}

const FIXTURES = new URL('./fixtures/', import.meta.url);

/** The body of an answer. */
export function fixture(folder: ProviderFixtures['folder'], name: string): string {
  return readFileSync(new URL(`${folder}/${name}.sse`, FIXTURES), 'utf8');
}

/** How every adapter translates its provider's answers. `start` serves one reply to every request. */
export function describeProviderContract(
  what: string,
  { folder, withoutRefusal }: ProviderFixtures,
  start: (reply: RawReply) => Promise<ProviderUnderTest>,
): void {
  describe(`${what} keeps the provider contract`, () => {
    let subject: ProviderUnderTest;
    const question: Partial<ModelRequest> = {
      messages: [userSays('what is 17 + 25 and 6 * 7?')],
      tools: [ADD_TOOL, MULTIPLY_TOOL],
    };

    afterEach(async () => {
      expect(subject.violations).toEqual([]);
      await subject.close();
    });

    async function open(reply: RawReply, signal = new AbortController().signal) {
      subject = await start(reply);
      return subject.model.stream(aRequest(subject.name, question), signal);
    }

    const play = async (name: string, rest: Partial<RawReply> = {}) =>
      collect(await open({ raw: fixture(folder, name), ...rest }));
    const fail = async (name: string, rest: Partial<RawReply> = {}): Promise<ModelError> => {
      const error: unknown = await play(name, rest).catch((reason: unknown) => reason);
      if (!(error instanceof ModelError)) throw new Error(`expected a ModelError, got ${String(error)}`);
      return error;
    };

    it('reads a plain answer in pieces, thinking apart from it, and what it cost', async () => {
      const parts = await play('plain');
      expect(textOf(parts)).toBe('Good morning!');
      expect(parts.filter(({ type }) => type === 'text').length).toBeGreaterThan(1);
      const end = endOf(parts);
      expect(end.stop_reason).toBe('end_turn');
      expect(end.usage.input_tokens).toBeGreaterThanOrEqual(end.usage.cached_tokens);
      expect(end.usage.output_tokens).toBeGreaterThan(0);
      const thought = parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : [])).join('');
      const ends = parts.flatMap((part) => (part.type === 'thinking_end' ? [part] : []));
      expect(ends.map(({ text }) => text).join('')).toBe(thought);
      for (const { model } of ends) expect(model).toBe(subject.name);
    });

    it('reads one call', async () => {
      const parts = await play('one-tool');
      expect(callsOf(parts)).toEqual([['math__add', { a: 17, b: 25 }]]);
      expect(endOf(parts).stop_reason).toBe('tool_use');
    });

    it('streams the arguments of a call while they are being written', async () => {
      const written: string[] = [];
      for await (const part of await open({ raw: fixture(folder, 'one-tool') }))
        if (part.type === 'tool_call_delta') written.push(part.text);
      expect(JSON.parse(written.join(''))).toEqual({ a: 17, b: 25 });
    });

    it('reads parallel calls in their order', async () => {
      const parts = await play('parallel-tools');
      expect(callsOf(parts)).toEqual([
        ['math__add', { a: 17, b: 25 }],
        ['math__multiply', { a: 6, b: 7 }],
      ]);
      expect(endOf(parts).stop_reason).toBe('tool_use');
    });

    it('says when the answer was cut at its length', async () => {
      const parts = await play('length');
      expect(textOf(parts)).toBe('It was a dark and');
      expect(endOf(parts).stop_reason).toBe('max_tokens');
    });

    if (!withoutRefusal) {
      it('says when the provider declined', async () => {
        expect(endOf(await play('refusal')).stop_reason).toBe('refusal');
      });
    }

    it('throws a retryable error for an error in the stream, and for nothing after it', async () => {
      const error = await fail('error');
      expect(['overloaded', 'server']).toContain(error.kind);
      expect(error.options.retryable).toBe(true);
      expect(subject.requests).toHaveLength(1);
    });

    it.each([
      ['ends', {}],
      ['breaks', { then: 'cut' }],
    ] as const)('throws a retryable error when the stream %s before its end', async (_, rest) => {
      const error = await fail('cut', rest);
      expect(error).toMatchObject({ kind: 'network', options: { retryable: true } });
      expect(subject.requests).toHaveLength(1);
    });

    it('waits for an answer that starts late', async () => {
      let letGo = () => {};
      const hold = new Promise<void>((resolve) => (letGo = resolve));
      const parts = collect(await open({ raw: fixture(folder, 'plain'), hold }));
      await waitFor(() => subject.requests.length > 0, { what: 'the request', intervalMs: 5 });
      letGo();
      expect(textOf(await parts)).toBe('Good morning!');
    });

    it.each([
      ['before the answer starts', true],
      ['during the answer', false],
    ])('closes the HTTP request when it is stopped %s', async (_, isEarly) => {
      const controller = new AbortController();
      const never = new Promise<void>(() => undefined);
      const raw = fixture(folder, 'cut');
      const reply: RawReply = isEarly ? { raw, hold: never } : { raw, then: never };
      const parts = await open(reply, controller.signal);
      const reading = readUntilText(parts, () => controller.abort(new Error('stopped')));
      reading.catch(() => undefined);
      if (isEarly) {
        await waitFor(() => subject.requests.length > 0, { what: 'the request', intervalMs: 5 });
        controller.abort(new Error('stopped'));
      }
      await expect(reading).rejects.toThrow('stopped');
      expect(await subject.requests[0]!.closedEarly).toBe(true);
    });
  });
}

async function readUntilText(parts: AsyncIterable<ModelPart>, onText: () => void): Promise<void> {
  for await (const part of parts) if (part.type === 'text') onText();
}

function endOf(parts: ModelPart[]): Extract<ModelPart, { type: 'end' }> {
  expect(parts.filter(({ type }) => type === 'end')).toHaveLength(1);
  const end = parts.at(-1);
  if (end?.type !== 'end') throw new Error('the end is not last');
  return end;
}
