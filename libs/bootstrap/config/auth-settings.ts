import { isIPv4 } from 'node:net';

export const AUTH_KINDS = ['none', 'local', 'jwt'] as const;

export const REGISTRATIONS = ['open', 'invite', 'closed'] as const;

/** `first`: open until the first account exists, then closed. */
export type RegistrationSetting = (typeof REGISTRATIONS)[number] | 'first';

/** HS256 requires as many bytes as its hash has. */
const MIN_SECRET_LENGTH = 32;

export type AuthSettings =
  | { kind: 'none' }
  /** Without `secret`, one is generated and stored in the store. */
  | { kind: 'local'; secret?: string }
  | {
      kind: 'jwt';
      secret?: string;
      jwksUrl?: string;
      issuer?: string;
      audience?: string;
      /** Names of claims with roles, or paths to them; absent: tokens give no roles. */
      roleClaims?: readonly string[];
    };

/** Where issuers usually have them. */
const ROLE_CLAIMS = ['roles', 'groups'];

type Environment = Record<string, string | undefined>;

/**
 * True for an address that only programs on the same machine can reach. `0.0.0.0` and `::` are every address of the
 * machine.
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === 'localhost' || name === '::1' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
  );
}

/** Finds problems in the settings of who may connect. Values that are invalid on their own are reported elsewhere. */
export function findAuthProblems({
  AUTH = 'none',
  HOST = '127.0.0.1',
  JWT_SECRET,
  JWKS_URL,
}: Environment): string[] {
  if (AUTH === 'none' && !isLoopback(HOST)) {
    return [
      'AUTH=none serves every client that can connect, so HOST must be a loopback address like 127.0.0.1; set AUTH=local or AUTH=jwt to listen elsewhere',
    ];
  }
  if (AUTH !== 'jwt' && AUTH !== 'local') return [];
  if (AUTH === 'jwt' && JWT_SECRET === undefined && JWKS_URL === undefined)
    return ['AUTH=jwt needs JWT_SECRET or JWKS_URL'];
  if (AUTH === 'jwt' && JWT_SECRET !== undefined && JWKS_URL !== undefined)
    return ['JWT_SECRET and JWKS_URL cannot be combined: set only one'];
  if (JWT_SECRET !== undefined && JWT_SECRET.length < MIN_SECRET_LENGTH) {
    return [`JWT_SECRET must have at least ${MIN_SECRET_LENGTH} characters`];
  }
  return [];
}

/** Settings that have no effect because of `AUTH`. */
export function findAuthNotices({ AUTH = 'none', ...rest }: Environment): string[] {
  const ofOthers = ['JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_ROLE_CLAIMS'];
  const registration =
    AUTH !== 'local' && rest.REGISTRATION !== undefined
      ? [`REGISTRATION set with AUTH=${AUTH}: only AUTH=local reads it`]
      : [];
  if (AUTH === 'local') {
    const unused = ofOthers.filter((name) => rest[name] !== undefined);
    return unused.length > 0 ? [`${unused.join(', ')} set with AUTH=local: only AUTH=jwt reads it`] : [];
  }
  if (AUTH !== 'none') return registration;
  const unused = ['JWT_SECRET', ...ofOthers].filter((name) => rest[name] !== undefined);
  return unused.length > 0
    ? [...registration, `${unused.join(', ')} set with AUTH=none: no login is required`]
    : registration;
}

/** Strangers can reach every address except loopback, and every address to which a proxy forwards. */
export function toRegistration({
  REGISTRATION,
  HOST,
  TRUSTED_PROXIES,
}: {
  REGISTRATION?: (typeof REGISTRATIONS)[number];
  HOST: string;
  TRUSTED_PROXIES: readonly string[];
}): RegistrationSetting {
  if (REGISTRATION !== undefined) return REGISTRATION;
  return isLoopback(HOST) && TRUSTED_PROXIES.length === 0 ? 'open' : 'first';
}

export function toAuthSettings(environment: {
  AUTH: (typeof AUTH_KINDS)[number];
  JWT_SECRET?: string;
  JWKS_URL?: string;
  JWT_ISSUER?: string;
  JWT_AUDIENCE?: string;
  JWT_ROLE_CLAIMS?: readonly string[];
}): AuthSettings {
  if (environment.AUTH === 'local') return { kind: 'local', secret: environment.JWT_SECRET };
  if (environment.AUTH !== 'jwt') return { kind: 'none' };
  return {
    kind: 'jwt',
    secret: environment.JWT_SECRET,
    jwksUrl: environment.JWKS_URL,
    issuer: environment.JWT_ISSUER,
    audience: environment.JWT_AUDIENCE,
    roleClaims: environment.JWT_ROLE_CLAIMS ?? ROLE_CLAIMS,
  };
}
