import { describe, expect, it } from '@jest/globals';
import type { ListedProcess, ModelLoad } from '#contracts';
import { modelsLeft } from './models-left.js';

function orchestrator(models: Record<string, ModelLoad> | undefined, is_alive = true): ListedProcess {
  return { id: 'orchestrator-1', role: 'orchestrator', host: 'here', beat: 1, is_alive, load: { models } };
}

describe('what is left of the budgets of models', () => {
  it('is the sum of what living orchestrators have, under limits that they share', () => {
    const part = { requests_limit: 60, requests_left: 20, streams_limit: 4, streams: 1, waiting: 1 };
    expect(
      modelsLeft([
        orchestrator({ openai: part }),
        orchestrator({ openai: { ...part, requests_left: -3, paused_ms: 900 } }),
        orchestrator({ openai: { ...part, requests_left: 30 } }, false),
        orchestrator({ anthropic: { tokens_limit: 9, tokens_left: 4, waiting: 0, paused_ms: 100 } }),
        orchestrator(undefined),
      ]),
    ).toEqual([
      { name: 'anthropic', tokens_limit: 9, tokens_left: 4, waiting: 0, paused_ms: 100 },
      {
        ...{ name: 'openai', requests_limit: 60, requests_left: 17 },
        ...{ streams_limit: 4, streams: 2, waiting: 2, paused_ms: 900 },
      },
    ]);
  });

  it('is nothing where nothing is limited', () => {
    expect(modelsLeft([orchestrator({}), orchestrator(undefined)])).toEqual([]);
  });
});
