import { createContext, Script } from 'node:vm';

const script = new Script('run()');

/** Thrown when the work took longer than it may. */
export class TimeLimitError extends Error {
  override name = 'TimeLimitError';
}

/**
 * Runs synchronous work and interrupts it after `timeoutMs`, regular expressions included. Costs about 1 ms. It is a
 * limit, not a sandbox: the work runs in this realm.
 */
export function runWithTimeLimit<T>(timeoutMs: number, work: () => T): T {
  let outcome: { value: T } | { error: unknown } | undefined;
  const run = () => {
    try {
      outcome = { value: work() };
    } catch (error) {
      outcome = { error };
    }
  };
  try {
    script.runInContext(createContext({ run }), { timeout: timeoutMs });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new TimeLimitError(`Took longer than ${timeoutMs} ms.`);
    }
    throw error;
  }
  if (outcome && 'value' in outcome) return outcome.value;
  throw outcome?.error;
}
