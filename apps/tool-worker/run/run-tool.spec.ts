import { describe, expect, it } from '@jest/globals';
import { failure, success } from '#tools';
import { HoldLimit } from './hold-limit.js';
import { runWhenReached, type Ran } from './run-tool.js';

const AWAY: Ran = { result: failure('DependencyUnavailable', 'The server is not connected.') };
const neverStopped = new AbortController().signal;

function answering(...answers: Ran[]) {
  const state = { runs: 0 };
  const run = (): Promise<Ran> => Promise.resolve(answers[Math.min(state.runs++, answers.length - 1)]!);
  return { state, run };
}

describe('runWhenReached', () => {
  it('tries until the tool is reached', async () => {
    const { state, run } = answering(AWAY, AWAY, { result: success('here') });
    expect(await runWhenReached(run, neverStopped, new HoldLimit())).toEqual({ result: success('here') });
    expect(state.runs).toBe(3);
  });

  it('takes any other failure as the end', async () => {
    const broken: Ran = { result: failure('ToolExecutionError', 'It broke.') };
    const { state, run } = answering(broken, { result: success('never') });
    expect(await runWhenReached(run, neverStopped, new HoldLimit())).toEqual(broken);
    expect(state.runs).toBe(1);
  });

  it('stops waiting when the call is stopped', async () => {
    const stop = new AbortController();
    const { state, run } = answering(AWAY);
    const running = runWhenReached(run, stop.signal, new HoldLimit());
    stop.abort();
    expect(await running).toEqual(AWAY);
    expect(state.runs).toBeLessThanOrEqual(2);
  });
});
