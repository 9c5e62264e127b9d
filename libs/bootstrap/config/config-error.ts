import { SETTINGS_EXPLAINED } from './explained-in.js';

/** Invalid settings: every problem at once, one line each, naming settings and never their values. */
export class ConfigError extends Error {
  override name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    const count = problems.length === 1 ? '1 setting is wrong' : `${problems.length} settings are wrong`;
    super(
      `${count}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}\nEvery name is explained in ${SETTINGS_EXPLAINED}.`,
    );
  }
}
