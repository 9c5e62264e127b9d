import { createContext, Script } from 'node:vm';

const script = new Script('run()');
const idle = () => undefined;
/** One shared context: creating one takes longer than most limited work. */
const context: { run: () => void } = createContext({ run: idle }) as { run: () => void };
const MAX_TRIES = 3;

/** Thrown when the work took longer than its limit. */
export class TimeLimitError extends Error {
  override name = 'TimeLimitError';

  constructor(timeoutMs: number) {
    super(`Took longer than ${timeoutMs} ms.`);
  }
}

/**
 * Runs synchronous work and interrupts it after `timeoutMs`, regular expressions included. Costs about 0.1 ms. It is
 * a limit, not a sandbox: the work runs in this realm.
 */
export function runWithTimeLimit<T>(timeoutMs: number, work: () => T): T {
  let outcome: { value: T } | { error: unknown } | undefined;
  context.run = () => {
    try {
      outcome = { value: work() };
    } catch (error) {
      outcome = { error };
    }
  };
  try {
    script.runInContext(context, { timeout: timeoutMs });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new TimeLimitError(timeoutMs);
    }
    throw error;
  } finally {
    // Keep no reference to the work.
    context.run = idle;
  }
  if (outcome && 'value' in outcome) return outcome.value;
  throw outcome?.error;
}

/**
 * Repeats limited work that was late, because the limit is one of the wall clock: the process may have been stopped,
 * and Node does not report how much processor time one thread had. Work that is slow itself takes three times its
 * limit. The work must tolerate being started several times.
 */
export function retryOnTimeLimit<T>(limited: () => T): T {
  for (let tries = 1; ; tries++) {
    try {
      return limited();
    } catch (error) {
      if (!(error instanceof TimeLimitError) || tries === MAX_TRIES) throw error;
    }
  }
}
