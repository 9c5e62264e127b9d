import { createRemoteJWKSet, errors, jwtVerify, SignJWT, type JWTPayload, type JWTVerifyOptions } from 'jose';
import type { AuthSettings } from '#bootstrap';
import { RequestError } from '../errors/request-error.js';
import { LOCAL_USER, type Authenticate, type User } from './user.js';

const MAX_USER_ID_LENGTH = 256;
const MAX_TOKEN_LENGTH = 8_192;
const CLOCK_TOLERANCE_S = 5;
/** The claim `role` of who may look after the whole installation. */
const OPERATOR_ROLE = 'operator';
/** Asymmetric only: a public key must never be taken for a shared secret. */
const PUBLIC_KEY_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'];

/** `AUTH=none`: everybody is the local user. `AUTH=jwt`: who the token's `sub` names, until its `exp`. */
export function createAuthenticator(settings: AuthSettings): Authenticate {
  if (settings.kind === 'none') return () => Promise.resolve(LOCAL_USER);
  const verify = createVerifier(settings);
  return async (token) => {
    if (token === undefined) throw new RequestError('unauthorized', 'A token is required.');
    if (token.length > MAX_TOKEN_LENGTH) throw refusal();
    return toUser(await verify(token).catch(translate));
  };
}

/** A token of the kind that `AUTH=jwt` with `JWT_SECRET` accepts. */
export function signToken(
  user: { id: string; isOperator: boolean },
  hours: number,
  settings: Extract<AuthSettings, { kind: 'jwt' }>,
) {
  const token = new SignJWT({ type: 'access', ...(user.isOperator ? { role: OPERATOR_ROLE } : {}) })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user.id)
    .setIssuedAt()
    .setExpirationTime(Math.floor(Date.now() / 1000 + hours * 3600));
  if (settings.issuer !== undefined) token.setIssuer(settings.issuer);
  if (settings.audience !== undefined) token.setAudience(settings.audience);
  return token.sign(new TextEncoder().encode(settings.secret));
}

function createVerifier({ secret, jwksUrl, issuer, audience }: Extract<AuthSettings, { kind: 'jwt' }>) {
  const rules: JWTVerifyOptions = {
    issuer,
    audience,
    requiredClaims: ['sub', 'exp'],
    clockTolerance: CLOCK_TOLERANCE_S,
  };
  if (jwksUrl !== undefined) {
    const keys = createRemoteJWKSet(new URL(jwksUrl));
    return (token: string) => jwtVerify(token, keys, { ...rules, algorithms: PUBLIC_KEY_ALGORITHMS });
  }
  const key = new TextEncoder().encode(secret);
  return (token: string) => jwtVerify(token, key, { ...rules, algorithms: ['HS256'] });
}

function toUser({ payload }: { payload: JWTPayload }): User {
  const { sub, exp, role } = payload;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_USER_ID_LENGTH) throw refusal();
  return { id: sub, isOperator: role === OPERATOR_ROLE, expiresAtMs: exp! * 1000 };
}

/** A key server that does not answer is not the client's fault. */
function translate(error: unknown): never {
  if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError))
    throw new RequestError('unavailable', 'Tokens cannot be checked at the moment.', 5_000);
  throw refusal();
}

function refusal(): RequestError {
  return new RequestError('unauthorized', 'The token is not valid.');
}
