import { describe, expect, it } from '@jest/globals';
import { aRequest, collect, describeModelContract } from '../testing/model-contract.js';
import type { ModelPart, ModelRequest } from '../port/model.port.js';
import { ScriptedModel } from './scripted-model.js';

const USAGE = { input_tokens: 3, output_tokens: 2, cached_tokens: 1 };

function answer(request: ModelRequest): ModelPart[] {
  if (request.tools.length === 0) {
    const parts: ModelPart[] = [
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
    ];
    return [...parts, { type: 'end', stop_reason: 'end_turn', usage: USAGE }];
  }
  return [
    { type: 'tool_call', name: 'math__add', arguments: { a: 17, b: 25 }, raw: '' },
    { type: 'tool_call', name: 'math__multiply', arguments: { a: 6, b: 7 }, raw: '' },
  ];
}

describeModelContract('the scripted model', () =>
  Promise.resolve({ model: new ScriptedModel(answer), name: 'scripted' }),
);

describe('the scripted model', () => {
  it('records its requests and passes their number to the script', async () => {
    const model = new ScriptedModel((_, index) => [{ type: 'text', text: `answer ${index}` }]);
    const { signal } = new AbortController();
    await collect(model.stream(aRequest('scripted'), signal));
    const parts = await collect(model.stream(aRequest('scripted', { system: 'second' }), signal));
    expect(parts[0]).toEqual({ type: 'text', text: 'answer 1' });
    expect(model.requests.map((request) => request.system)).toEqual(['Be brief.', 'second']);
  });

  it('ends on abort although its script waits forever', async () => {
    const model = new ScriptedModel(async function* () {
      yield { type: 'text', text: 'and then' };
      await new Promise(() => undefined);
    });
    const controller = new AbortController();
    const read = async () => {
      for await (const part of model.stream(aRequest('scripted'), controller.signal)) {
        if (part.type === 'text') queueMicrotask(() => controller.abort(new Error('enough')));
      }
    };
    await expect(read()).rejects.toThrow('enough');
  });
});
