import { z } from 'zod';
import type { Budgets } from '#turn';
import { positive } from './positive.js';

export const turnSettingsShape = {
  budgets: z
    .strictObject({
      steps: positive(1_000).default(25),
      turn_minutes: z.number().min(0.1).max(1_440).default(10),
      output_tokens: positive(100_000_000).default(200_000),
      parallel_calls: positive(1_000).default(16),
      identical_calls: positive(1_000_000).default(2),
      thinking_calls: positive(1_000).default(20),
    })
    .prefault({}),
  attempts: z
    .strictObject({
      turn_takeovers: z.int().min(2).max(1_000).default(5),
      turn_takeover_seconds: positive(86_400).default(60),
      tool_call: positive(100).default(3),
      model_retries: z.int().min(0).max(100).default(5),
      overload_retries: z.int().min(0).max(100).default(1),
    })
    .prefault({}),
  deadlines: z
    .strictObject({
      queueing_ms: positive(3_600_000).default(60_000),
      approval_hours: z.number().min(0.0001).max(8_760).default(168),
      question_minutes: z.number().min(0.01).max(10_080).default(60),
    })
    .prefault({}),
};

type TurnSettingsFile = z.output<z.ZodObject<typeof turnSettingsShape>>;

/** Limits of one turn, its model calls and its tool calls. */
export function toBudgets({ budgets, attempts, deadlines }: TurnSettingsFile): Budgets {
  return {
    steps: budgets.steps,
    turnMs: Math.round(budgets.turn_minutes * 60_000),
    outputTokens: budgets.output_tokens,
    parallelCalls: budgets.parallel_calls,
    takeovers: attempts.turn_takeovers,
    takeoverWindowMs: attempts.turn_takeover_seconds * 1_000,
    callAttempts: attempts.tool_call,
    modelRetries: attempts.model_retries,
    overloadRetries: attempts.overload_retries,
    queueingMs: deadlines.queueing_ms,
    approvalMs: Math.round(deadlines.approval_hours * 3_600_000),
    identicalCalls: budgets.identical_calls,
    thinkingCalls: budgets.thinking_calls,
  };
}
