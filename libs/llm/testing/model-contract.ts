import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Model, ModelMessage, ModelPart, ModelRequest, ModelTool } from '../port/model.port.js';

export interface ModelUnderTest {
  model: Model;
  /** For `request.model`. */
  name: string;
  close?(): Promise<void>;
}

export const ADD_TOOL: ModelTool = {
  name: 'math__add',
  description: 'Adds two whole numbers.',
  input_schema: {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'integer' } },
    required: ['a', 'b'],
  },
};
export const MULTIPLY_TOOL: ModelTool = { ...ADD_TOOL, name: 'math__multiply', description: 'Multiplies.' };

export function userSays(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export function aRequest(model: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  const messages = [userSays('Hello there')];
  return { model, system: 'Be brief.', messages, tools: [], max_output_tokens: 1_000, ...changes };
}

const COUNTED: ModelPart['type'][] = ['usage', 'tool_call_delta'];

/** All parts except those that are only for counting. */
export async function collect(parts: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const all: ModelPart[] = [];
  for await (const part of parts) if (!COUNTED.includes(part.type)) all.push(part);
  return all;
}

export function textOf(parts: ModelPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export function callsOf(parts: ModelPart[]) {
  return parts.flatMap((part) => (part.type === 'tool_call' ? [[part.name, part.arguments]] : []));
}

/**
 * The promises of every model. The model under test must answer "what is 17 + 25 and 6 * 7?" with two parallel calls.
 */
export function describeModelContract(what: string, start: () => Promise<ModelUnderTest>): void {
  describe(`${what} keeps the model contract`, () => {
    let subject: ModelUnderTest;
    const run = (changes: Partial<ModelRequest> = {}) =>
      collect(subject.model.stream(aRequest(subject.name, changes), new AbortController().signal));

    beforeEach(async () => {
      subject = await start();
    });
    afterEach(() => subject.close?.());

    it('streams a text in pieces and ends with exactly one end', async () => {
      const parts = await run();
      expect(parts.filter((part) => part.type === 'text').length).toBeGreaterThan(1);
      expect(parts.filter((part) => part.type === 'end')).toEqual([parts.at(-1)]);
      expect(parts.at(-1)).toMatchObject({ stop_reason: 'end_turn' });
    });

    it('reports usage as whole numbers with the cached part inside the input', async () => {
      const end = (await run()).at(-1);
      if (end?.type !== 'end') throw new Error('no end');
      const { input_tokens, output_tokens, cached_tokens } = end.usage;
      expect([input_tokens, output_tokens, cached_tokens].every(Number.isInteger)).toBe(true);
      expect(cached_tokens).toBeLessThanOrEqual(input_tokens);
      expect(output_tokens).toBeGreaterThan(0);
    });

    it('asks for several tools in one step and stops for them', async () => {
      const messages = [userSays('what is 17 + 25 and 6 * 7?')];
      const parts = await run({ messages, tools: [ADD_TOOL, MULTIPLY_TOOL] });
      expect(callsOf(parts)).toEqual([
        ['math__add', { a: 17, b: 25 }],
        ['math__multiply', { a: 6, b: 7 }],
      ]);
      expect(parts.at(-1)).toMatchObject({ type: 'end', stop_reason: 'tool_use' });
    });

    it('throws the reason of a signal that was aborted before', async () => {
      const reason = new Error('stopped before');
      const parts = subject.model.stream(aRequest(subject.name), AbortSignal.abort(reason));
      await expect(collect(parts)).rejects.toBe(reason);
    });

    it('throws the reason of a signal that aborts in the middle, and yields nothing further', async () => {
      const controller = new AbortController();
      const reason = new Error('stopped in the middle');
      const seen: ModelPart[] = [];
      const read = async () => {
        for await (const part of subject.model.stream(aRequest(subject.name), controller.signal)) {
          seen.push(part);
          controller.abort(reason);
        }
      };
      await expect(read()).rejects.toBe(reason);
      expect(seen).toHaveLength(1);
    });
  });
}
