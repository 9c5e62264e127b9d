import {
  completeResult,
  errorDetail,
  type Call,
  type ErrorDetail,
  type Outcome,
  type Step,
} from '#contracts';

/** The settling process, and the attempt of the call's run claim (0: the call was never claimed to run). */
export interface Settler {
  worker: string;
  attempt: number;
  at: string;
}

/** A failed outcome that no tool reported itself. */
export function failedOutcome(step: Step, call: Call, error: ErrorDetail, by: Settler): Outcome {
  return {
    _id: call.tool_call_id,
    turn_id: step.turn_id,
    conversation_id: step.conversation_id,
    n: step.n,
    ...completeResult({ status: 'failure', error }),
    attempt: by.attempt,
    worker: by.worker,
    duration_ms: 0,
    at: by.at,
  };
}

export const neverStarted = (): ErrorDetail =>
  errorDetail('Cancelled', 'Stopped before it started; it did not run.', { started: false });

export const stoppedWhileRunning = (): ErrorDetail =>
  errorDetail('Cancelled', 'Stopped while it was running.', { started: true });

/** `why`: one sentence. */
export const mayHaveRun = (why = 'The worker died before it could report.'): ErrorDetail =>
  errorDetail('OutcomeUnknown', `May have run. ${why} It will not be started again.`);
