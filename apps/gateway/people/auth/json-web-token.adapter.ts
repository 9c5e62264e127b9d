import { errors, jwtVerify, SignJWT, type JWTPayload, type JWTVerifyOptions } from 'jose';
import type { AuthSettings } from '#bootstrap';
import type { Clock } from '#time';
import { RequestError } from '../../errors/request-error.js';
import { createIssuerKeys, KeysUnavailableError } from './issuer-keys.adapter.js';
import { rolesOfClaims } from './roles-of-claims.js';
import { LOCAL_USER, OPERATOR_ROLE, type Authenticate, type User } from './user.js';

const MAX_USER_ID_LENGTH = 256;
const MAX_TOKEN_LENGTH = 8_192;
/** Every half of a surrogate pair is encoded as the same replacement character: two users would be one in the store. */
const UNWRITABLE = /[\p{Cc}\p{Cs}]/u;
export const CLOCK_TOLERANCE_S = 5;
const UNAVAILABLE_RETRY_MS = 5_000;
/** Asymmetric only: a public key must never be taken for a shared secret. */
const PUBLIC_KEY_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'];

type JwtSettings = Extract<AuthSettings, { kind: 'jwt' }>;
type AuthClock = Pick<Clock, 'now' | 'wall'>;
type Verify = (token: string) => Promise<{ payload: JWTPayload }>;

/**
 * `AUTH=none`: every client is the local user. `AUTH=jwt`: the user in the token's `sub`, until its `exp`. Accounts
 * (`AUTH=local`) have their own.
 */
export function createAuthenticator(settings: AuthSettings, clock: AuthClock): Authenticate {
  if (settings.kind === 'none') return () => Promise.resolve(LOCAL_USER);
  if (settings.kind === 'local') throw new TypeError('AUTH=local tokens are checked by the accounts');
  const verify = createVerifier(settings, clock);
  const { roleClaims = [] } = settings;
  return async (token) => toUser(await claimsOf(token, verify), roleClaims);
}

/** The claims of a token that `verify` has accepted. Throws `RequestError`. */
export async function claimsOf(token: string | undefined, verify: Verify): Promise<JWTPayload> {
  if (token === undefined) throw new RequestError('unauthorized', 'A token is required.');
  if (token.length > MAX_TOKEN_LENGTH) throw refusedToken();
  const { payload } = await verify(token).catch(translate);
  return payload;
}

/** The same for every fault of a token: its sender learns no more. */
export function refusedToken(): RequestError {
  return new RequestError('unauthorized', 'The token is not valid.');
}

/** A token of the kind that `AUTH=jwt` with `JWT_SECRET` accepts. */
export function signToken(
  clock: Pick<Clock, 'wall'>,
  { id, isOperator, roles = [] }: { id: string; isOperator: boolean; roles?: readonly string[] },
  hours: number,
  settings: JwtSettings,
) {
  const now = clock.wall() / 1000;
  const named = { ...(isOperator && { role: OPERATOR_ROLE }), ...(roles.length > 0 && { roles }) };
  const token = new SignJWT({ type: 'access', ...named })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(id)
    .setIssuedAt(Math.floor(now))
    .setExpirationTime(Math.floor(now + hours * 3600));
  if (settings.issuer !== undefined) token.setIssuer(settings.issuer);
  if (settings.audience !== undefined) token.setAudience(settings.audience);
  return token.sign(new TextEncoder().encode(settings.secret));
}

function createVerifier({ secret, jwksUrl, issuer, audience }: JwtSettings, clock: AuthClock): Verify {
  const rules = (): JWTVerifyOptions => ({
    issuer,
    audience,
    requiredClaims: ['sub', 'exp'],
    clockTolerance: CLOCK_TOLERANCE_S,
    currentDate: new Date(clock.wall()),
  });
  if (jwksUrl !== undefined) {
    const keys = createIssuerKeys(new URL(jwksUrl), clock);
    return (token) => jwtVerify(token, keys, { ...rules(), algorithms: PUBLIC_KEY_ALGORITHMS });
  }
  const key = new TextEncoder().encode(secret);
  return (token) => jwtVerify(token, key, { ...rules(), algorithms: ['HS256'] });
}

function toUser(claims: JWTPayload, roleClaims: readonly string[]): User {
  const { sub, exp, role } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_USER_ID_LENGTH) throw refusedToken();
  if (UNWRITABLE.test(sub)) throw refusedToken();
  const isOperator = role === OPERATOR_ROLE;
  const roles = rolesOfClaims(claims, roleClaims, isOperator);
  return { id: sub, isOperator, roles, expiresAtMs: exp! * 1000 };
}

/** A key server that does not answer is not the client's fault. */
function translate(error: unknown): never {
  if (error instanceof KeysUnavailableError)
    throw new RequestError('unavailable', 'Tokens cannot be checked right now.', UNAVAILABLE_RETRY_MS);
  if (error instanceof errors.JOSEError) throw refusedToken();
  throw error;
}
