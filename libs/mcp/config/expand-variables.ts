import { createHash } from 'node:crypto';

/** In the configuration of a server with a scope: a name for the user or conversation that a process or session serves. */
export const OWNER_VARIABLE = 'SWITCHYARD_OWNER';
const OWNER_PLACEHOLDER = `\${${OWNER_VARIABLE}}`;

type Environment = Readonly<Record<string, string | undefined>>;

/** `<where> refers to the environment variable <name>, which is not set.` */
export class MissingVariableError extends Error {
  override name = 'MissingVariableError';
}

/** Replaces `${NAME}` and `${NAME:-default}` in every string of a configuration object; keys stay as they are. */
export function expandVariables(config: Record<string, unknown>, env: Environment): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, expand(value, key, env)]));
}

export function mentionsOwner(config: unknown): boolean {
  return JSON.stringify(config).includes(OWNER_PLACEHOLDER);
}

/**
 * The configuration of one process or session. The owner becomes 32 hexadecimal digits: they can be part of a file
 * name and do not reveal a person's id.
 */
export function forOwner<T>(config: T, owner: string): T {
  const digits = createHash('sha256').update(owner).digest('hex').slice(0, 32);
  return replaceOwner(config, digits) as T;
}

/** The configuration of the connection that only lists tools. */
export function forListing<T>(config: T): T {
  return replaceOwner(config, 'nobody') as T;
}

function expand(value: unknown, where: string, env: Environment): unknown {
  if (typeof value === 'string') return expandText(value, where, env);
  if (Array.isArray(value)) return value.map((item, index) => expand(item, `${where}[${index}]`, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, expand(item, `${where}.${key}`, env)]),
  );
}

function expandText(text: string, where: string, env: Environment): string {
  return text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (match, name: string, fallback?: string) => {
      // The owner is known only when a process or session is started.
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

function replaceOwner(value: unknown, owner: string): unknown {
  if (typeof value === 'string') return value.replaceAll(OWNER_PLACEHOLDER, owner);
  if (Array.isArray(value)) return value.map((item) => replaceOwner(item, owner));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceOwner(item, owner)]));
}
