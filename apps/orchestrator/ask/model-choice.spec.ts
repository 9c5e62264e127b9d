import { describe, expect, it } from '@jest/globals';
import { stepRow } from '#journal';
import { candidateModels, modelLabel } from './model-choice.js';

const settings = {
  model: 'anthropic/a',
  modelUse: new Map([
    ['anthropic', { fallback: ['openai/b'] }],
    ['anthropic/a', { fallback: ['anthropic/c', 'anthropic/a', 'openai/b'] }],
    ['demo', { contextTokens: 1_000 }],
  ]),
};
const by = { clock: { wall: () => 0 } };
const turn = { turn: { _id: 't', conversation_id: 'c', number: 1 } as never };
const stepBy = (model?: string) => stepRow(by, turn, 1, { kind: 'model', attempt: 100, model });

describe('the models that may write a step', () => {
  it('are the chosen one and, in order, its fallbacks, each once', () => {
    expect(candidateModels('anthropic/a', [], settings)).toEqual(['anthropic/a', 'anthropic/c', 'openai/b']);
    expect(candidateModels('anthropic/z', [], settings)).toEqual(['anthropic/z', 'openai/b']);
    expect(candidateModels('demo', [], settings)).toEqual(['demo']);
    expect(candidateModels('openai/b', [], { model: 'demo', modelUse: new Map() })).toEqual(['openai/b']);
  });

  it('begin with the fallback that was used earlier in the turn', () => {
    const steps = [stepBy('anthropic/a'), stepBy('anthropic/c'), stepBy()];
    expect(candidateModels('anthropic/a', steps, settings)).toEqual([
      'anthropic/c',
      'openai/b',
      'anthropic/a',
    ]);
    expect(candidateModels('anthropic/a', [stepBy('gemini/no-more')], settings)[0]).toBe('anthropic/a');
  });
});

describe('the model as a metric label', () => {
  it('is a name that the deployment knows, or other', () => {
    const names = ['anthropic/a', 'anthropic/c', 'openai/b', 'demo', 'anthropic/typed-by-a-client'];
    expect(names.map((name) => modelLabel(name, settings))).toEqual([...names.slice(0, 4), 'other']);
  });
});
