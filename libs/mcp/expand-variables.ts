import { OWNER_VARIABLE } from './owner-variable.js';

/** `<where> refers to the environment variable <name>, which is not set.` */
export class MissingVariableError extends Error {
  override name = 'MissingVariableError';
}

/** Replaces `${NAME}` and `${NAME:-default}` in every string of a configuration object; keys stay as they are. */
export function expandVariables(
  config: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, expand(value, key, env)]));
}

function expand(value: unknown, where: string, env: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === 'string') return expandText(value, where, env);
  if (Array.isArray(value)) return value.map((item, index) => expand(item, `${where}[${index}]`, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, expand(item, `${where}.${key}`, env)]),
  );
}

function expandText(text: string, where: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (match, name: string, fallback?: string) => {
      // Known when a process or session is started.
      if (name === OWNER_VARIABLE) return match;
      const value = env[name] ?? fallback;
      if (value === undefined) {
        throw new MissingVariableError(
          `${where} refers to the environment variable ${name}, which is not set.`,
        );
      }
      return value;
    },
  );
}
