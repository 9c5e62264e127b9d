import { LOCAL_USER_ID } from '#contracts';

/** The user of a request: the value of a checked token, or the one local user. */
export interface User {
  /** Only ever data: never part of a query operator or a file name. */
  id: string;
  isOperator: boolean;
  /** All that the token or the account names, as they were when it was checked. Never `operator` without `isOperator`. */
  roles: readonly string[];
  /** Ms since epoch: the token's end; undefined without one. */
  expiresAtMs?: number;
  /** Of a person who signed in on the page, without a token. */
  sessionId?: string;
  /** Of its HTTP request; a socket has none. */
  requestId?: string;
  /** The header of its HTTP request, as it came; a socket has none. */
  traceparent?: string;
}

/**
 * The user of a request's token or, without one, of the session in its cookie. Throws `RequestError` `unauthorized`.
 * Only `AUTH=local` has sessions.
 */
export type Authenticate = (token: string | undefined, session?: string) => Promise<User>;

export const OPERATOR_ROLE = 'operator';

export const LOCAL_USER: User = { id: LOCAL_USER_ID, isOperator: true, roles: [OPERATOR_ROLE] };

/** The token of an `Authorization: Bearer …` header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
}
