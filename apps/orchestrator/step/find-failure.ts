import type { FailureCode } from '#contracts';
import type { Streamed } from '../ask/stream-step.js';

type Answered = Extract<Streamed, { ended: 'answered' }>;

interface Failure {
  code: FailureCode;
  message: string;
}

/** Why the turn ends with this step instead of going on, if it does. */
export function findFailure(streamed: Answered, parallelCalls: number): Failure | undefined {
  if (streamed.stopReason === 'refusal')
    return { code: 'refused', message: 'The model declined to answer this.' };
  if (streamed.stopReason === 'context_overflow') {
    return { code: 'context_overflow', message: 'The conversation is too long for the model.' };
  }
  if (streamed.asked.length <= parallelCalls) return undefined;
  const message = `Stopped at the limit of ${parallelCalls} calls at once. Send a message to go on.`;
  return { code: 'budget_exceeded', message };
}
