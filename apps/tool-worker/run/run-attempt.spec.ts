import { describe, expect, it } from '@jest/globals';
import type { ToolCallBody } from '#contracts';
import { failure, success, ToolError, type Tool } from '#tools';
import { SeededRandom, VirtualClock } from '#time/testing';
import { HoldLimit } from './hold-limit.js';
import { runAttempt, runWhenReached, type Ran } from './run-attempt.js';

const AWAY: Ran = { result: failure('DependencyUnavailable', 'The server is not connected.') };
const neverStopped = new AbortController().signal;
const clock = new VirtualClock(new SeededRandom(1));
const SOON_MS = 60_000;

/** A call that has just been delivered. */
const delivered = () => ({ clock, hold: new HoldLimit(clock) });

/** What it comes to, in a minute at most. */
async function ended<T>(running: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => void (isOver = true);
  running.then(over, over);
  await clock.runUntil('the end of the run', () => isOver, SOON_MS);
  return running;
}

function answering(...answers: Ran[]) {
  const state = { runs: 0 };
  const run = (): Promise<Ran> => Promise.resolve(answers[Math.min(state.runs++, answers.length - 1)]!);
  return { state, run };
}

describe('runWhenReached', () => {
  it('retries until the tool is reached', async () => {
    const { state, run } = answering(AWAY, AWAY, { result: success('here') });
    expect(await ended(runWhenReached(run, neverStopped, delivered()))).toEqual({ result: success('here') });
    expect(state.runs).toBe(3);
  });

  it('treats any other failure as the end', async () => {
    const broken: Ran = { result: failure('ToolExecutionError', 'It broke.') };
    const { state, run } = answering(broken, { result: success('never') });
    expect(await ended(runWhenReached(run, neverStopped, delivered()))).toEqual(broken);
    expect(state.runs).toBe(1);
  });

  it('stops waiting when the call is stopped', async () => {
    const stop = new AbortController();
    const { state, run } = answering(AWAY);
    const running = runWhenReached(run, stop.signal, delivered());
    stop.abort();
    expect(await ended(running)).toEqual(AWAY);
    expect(state.runs).toBeLessThanOrEqual(2);
  });
});

describe('runAttempt', () => {
  const body = {
    tool_call_id: 'call_1',
    arguments: {},
    timeout_ms: 30,
  } as Partial<ToolCallBody> as ToolCallBody;
  const told: number[] = [];
  const context = {
    attempt: 1,
    ...delivered(),
    stop: neverStopped,
    onProgress: (progress: number) => void told.push(progress),
    attach: () => Promise.reject(new Error('nothing to attach')),
    ask: () => Promise.reject(new Error('nobody is there')),
  };
  const toolThat = (run: Tool['run']) => ({ run }) as Partial<Tool> as Tool;

  it('treats an exception that a tool throws synchronously as its failure', async () => {
    const throwing = toolThat(() => {
      throw new ToolError({ error_type: 'PermissionError', error_message: 'Not you.' });
    });
    expect(await ended(runAttempt(throwing, body, context))).toMatchObject({
      result: { status: 'failure', error: { error_type: 'PermissionError', error_message: 'Not you.' } },
    });
  });

  it('ignores the progress of a tool that continues after its time limit', async () => {
    let goOn: () => void = () => undefined;
    const ignoring = toolThat((_args, { progress }) => {
      goOn = () => progress(1);
      return new Promise<never>(() => undefined);
    });
    expect(await ended(runAttempt(ignoring, body, context))).toMatchObject({
      result: { error: { error_type: 'TimeoutError' } },
    });
    goOn();
    expect(told).toEqual([]);
  });
});
