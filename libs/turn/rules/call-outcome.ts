import { ERROR_TYPES, type Call, type ErrorDetail, type ErrorType, type Outcome } from '#contracts';

/** How a call that no worker started was ended. */
const NOT_STARTED = {
  Cancelled: 'cancelled',
  OutcomeUnknown: 'unknown',
  DependencyUnavailable: 'no_worker',
  TimeoutError: 'expired',
  /** Only a call whose message was dead-lettered has this error without an attempt. */
  ToolExecutionError: 'dead_lettered',
} as const satisfies Partial<Record<ErrorType, string>>;

/** Every value of `callOutcome`. */
export const CALL_OUTCOMES = [
  'success',
  'no_change_needed',
  'partial_success',
  'failure',
  'unknown',
  'cancelled',
  'denied',
  'refused',
  'expired',
  'no_worker',
  'dead_lettered',
  'late',
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/**
 * How a call ended, in one word, for those who count calls. With an attempt, a worker had started it: its status,
 * `unknown` or `cancelled`. Without one, nothing ran. `late`: another outcome had been settled, and this one was
 * dropped.
 */
export function callOutcome(
  { approval }: Pick<Call, 'approval'>,
  { attempt, status, error }: Pick<Outcome, 'attempt' | 'status' | 'error'>,
  stands: boolean,
): CallOutcome {
  if (!stands) return 'late';
  if (!error || status !== 'failure') return status;
  if (attempt > 0) {
    if (error.error_type === 'Cancelled') return 'cancelled';
    return error.error_type === 'OutcomeUnknown' ? 'unknown' : 'failure';
  }
  if (isPaused(error)) return 'refused';
  // A call that would be refused anyway asks no one for an approval.
  if (error.error_type === 'PermissionError' && approval === 'required') return 'denied';
  return NOT_STARTED[error.error_type as keyof typeof NOT_STARTED] ?? 'refused';
}

/** See `pausedDetail`: an operator stopped it, although workers may live. */
function isPaused({ error_details: details }: ErrorDetail): boolean {
  return typeof details === 'object' && details?.paused === true;
}

/** The error's type as a label with a known set of values. */
export function errorTypeLabel({ error }: Pick<Outcome, 'error'>): ErrorType | 'none' {
  if (!error) return 'none';
  return (ERROR_TYPES as readonly string[]).includes(error.error_type)
    ? (error.error_type as ErrorType)
    : 'ToolExecutionError';
}
