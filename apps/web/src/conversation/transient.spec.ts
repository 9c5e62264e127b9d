import { describe, expect, it } from '@jest/globals';
import type { ConversationEvent, Snapshot } from '#contracts';
import { noTransient, reduceTransient } from './transient.js';

const event = (fields: object) =>
  ({
    conversation_id: 'c',
    turn_id: 't',
    timestamp: '2026-11-22T10:00:00.000Z',
    step: 1,
    attempt: 100,
    ...fields,
  }) as ConversationEvent | Snapshot;
const waiting = event({ type: 'waiting', reason: 'the model is busy', retry_after_ms: 4_000 });
const progress = event({ type: 'tool_progress', tool_call_id: 'x', progress: 1, total: 2 });

describe('transient state', () => {
  it('contains the latest progress of each call', () => {
    const state = reduceTransient(noTransient, progress);
    expect(state.progress.x).toEqual({ progress: 1, total: 2, message: undefined });
  });

  it('contains the time until which the model is awaited, and clears it at the first sign of life', () => {
    const state = reduceTransient(reduceTransient(noTransient, progress), waiting);
    expect(state.waiting?.until).toBe(Date.parse('2026-11-22T10:00:04.000Z'));
    const next = reduceTransient(state, event({ type: 'token', content: 'a', offset: 0 }));
    expect(next.waiting).toBeUndefined();
    expect(next.progress.x).toBeDefined();
  });

  it('does not count down to a retry while the model is doing something else', () => {
    const summing = event({
      type: 'waiting',
      reason: 'Earlier messages are being summarised.',
      retry_after_ms: 0,
    });
    expect(reduceTransient(noTransient, summing).waiting).toEqual({
      turnId: 't',
      reason: 'Earlier messages are being summarised.',
    });
  });

  it('is emptied by a snapshot and at the end of a step', () => {
    const state = reduceTransient(noTransient, waiting);
    expect(reduceTransient(state, event({ type: 'snapshot' }))).toBe(noTransient);
    expect(reduceTransient(state, event({ type: 'step_committed' }))).toBe(noTransient);
  });

  it('stays the same object while nothing changes, so that nothing is rendered', () => {
    const state = reduceTransient(noTransient, progress);
    expect(reduceTransient(state, event({ type: 'token', content: 'a', offset: 0 }))).toBe(state);
    expect(reduceTransient(state, event({ type: 'tool_start' }))).toBe(state);
  });
});
