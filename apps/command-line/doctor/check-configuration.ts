import { ConfigError, type Environment } from '#bootstrap';
import type { Checked } from '#contracts';
import { configHere } from './configured-here.js';

const SUBJECT = 'configuration';

/** Every variable of every process, or of a worker of a group, and the settings file. */
export function checkConfiguration(environment: Environment): Checked[] {
  try {
    const { notices } = configHere(environment);
    const warnings = notices.map((text): Checked => ({ subject: SUBJECT, level: 'warning', text }));
    return [{ subject: SUBJECT, level: 'ok', text: 'every variable and setting is valid' }, ...warnings];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mend = '.env.example and docs/operations.md explain every name.';
    return error.problems.map((text) => ({ subject: SUBJECT, level: 'error', text, mend }));
  }
}
