import { randomBytes } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { timestampOf, type Clock } from '#time';
import { claimsOf, CLOCK_TOLERANCE_S, refusedToken } from '../auth/json-web-token.adapter.js';
import type { AccountStore } from './accounts.js';

const SECRET_ID = 'token_key';
const SECRET_BYTES = 32;
const ALGORITHM = 'HS256';
const LIFETIME_S = 24 * 3600;
/** A token that this claim does not call so was made for something else. */
const TYPE = 'access';

/** The tokens of `AUTH=local`. All gateways and all restarts sign with the same key. */
export class AccountTokens {
  private known: Promise<Uint8Array> | undefined;

  /** @param secret undefined: the one that the store keeps, made by whoever needs it first */
  constructor(
    private readonly store: Pick<AccountStore, 'keepSecret'>,
    private readonly secret: string | undefined,
    private readonly clock: Pick<Clock, 'wall'>,
  ) {}

  async issue(accountId: string): Promise<string> {
    const now = Math.floor(this.clock.wall() / 1000);
    return new SignJWT({ type: TYPE })
      .setProtectedHeader({ alg: ALGORITHM })
      .setSubject(accountId)
      .setIssuedAt(now)
      .setExpirationTime(now + LIFETIME_S)
      .sign(await this.key());
  }

  /** Throws `RequestError` `unauthorized`. */
  async read(token: string | undefined): Promise<{ accountId: string; expiresAtMs: number }> {
    const key = await this.key();
    const { sub, exp, type } = await claimsOf(token, (given) =>
      jwtVerify(given, key, {
        algorithms: [ALGORITHM],
        requiredClaims: ['sub', 'exp'],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(this.clock.wall()),
      }),
    );
    if (type !== TYPE || typeof sub !== 'string') throw refusedToken();
    return { accountId: sub, expiresAtMs: exp! * 1000 };
  }

  private key(): Promise<Uint8Array> {
    this.known ??= this.load().catch((error: unknown) => {
      this.known = undefined;
      throw error;
    });
    return this.known;
  }

  private async load(): Promise<Uint8Array> {
    return new TextEncoder().encode(this.secret ?? (await this.keepSecret()));
  }

  private async keepSecret(): Promise<string> {
    const value = randomBytes(SECRET_BYTES).toString('base64url');
    const row = { _id: SECRET_ID, value, created_at: timestampOf(this.clock) };
    return (await this.store.keepSecret(row)).value;
  }
}
