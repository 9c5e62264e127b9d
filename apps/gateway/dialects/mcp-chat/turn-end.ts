import type { CallView, ResultStatus, TurnView } from '#contracts';

export const RESTARTING = 'Server is restarting, the answer will be in the conversation';

/** Why there is no answer; undefined if there is one. */
export function failureReason({ status, error }: TurnView): string | undefined {
  if (status === 'completed') return undefined;
  return status === 'cancelled' ? 'Stopped' : (error?.message ?? 'The turn failed.');
}

/** The text of the last step, of a turn that has completed. */
export function finalTextOf({ steps }: TurnView): string {
  return steps.at(-1)?.text ?? '';
}

/** As in tool-messages; a call without an end was given up. */
export function statusOf({ state, status }: CallView): ResultStatus {
  return state === 'succeeded' ? (status ?? 'success') : 'failure';
}
