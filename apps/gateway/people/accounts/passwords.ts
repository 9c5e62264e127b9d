import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { BoundedWork } from './bounded-work.js';

/** Of scrypt. */
export interface PasswordCost {
  N: number;
  r: number;
  p: number;
}

/** A quarter of a second and 32 MiB each. */
export const DEFAULT_PASSWORD_COST: PasswordCost = { N: 32_768, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Of Node's four threads, half stay free for files and names. */
const AT_ONCE = 2;
/** Less than half of `unknown_requests`: waiting checks hold places there, and a full pool refuses every stranger. */
const WAITING = 90;

/** `scrypt$<N>$<r>$<p>$<salt>$<hash>`: hashes made with another cost are still understood. */
const STORED = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/;

/** Creates and checks password hashes. Throws `RequestError` `overloaded` when too many wait. */
export class Passwords {
  private readonly work: BoundedWork;
  /** Belongs to no account: compared with when the account does not exist, so that both cases take the same time. */
  private readonly decoy: string;

  /**
   * @param onRefusal told the network of a refused request
   * @param cost of new hashes
   */
  constructor(
    onRefusal?: (network: string) => void,
    private readonly cost = DEFAULT_PASSWORD_COST,
  ) {
    this.decoy = format(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
    this.work = new BoundedWork({ atOnce: AT_ONCE, waiting: WAITING }, onRefusal);
  }

  /** @param address where the request comes from: addresses take turns */
  async hash(address: string, password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const { cost } = this;
    return format(cost, salt, await this.derive(address, password, { salt, cost }));
  }

  /** @param stored undefined when there is no account */
  async isRight(address: string, password: string, stored: string | undefined): Promise<boolean> {
    const [, N, r, p, salt, hash] = STORED.exec(stored ?? this.decoy) ?? [];
    if (hash === undefined) throw new Error('a stored password cannot be read');
    const cost = { N: Number(N), r: Number(r), p: Number(p) };
    const given = { salt: Buffer.from(salt!, 'base64url'), cost };
    const derived = await this.derive(address, password, given);
    return timingSafeEqual(derived, Buffer.from(hash, 'base64url')) && stored !== undefined;
  }

  private derive(
    address: string,
    password: string,
    { salt, cost }: { salt: Buffer; cost: PasswordCost },
  ): Promise<Buffer> {
    const maxmem = 256 * cost.N * cost.r;
    // The same letters can be typed in several ways.
    const typed = password.normalize('NFKC');
    return this.work.run(
      address,
      () =>
        new Promise((resolve, reject) =>
          scrypt(typed, salt, HASH_BYTES, { ...cost, maxmem }, (error, derived) =>
            error ? reject(error) : resolve(derived),
          ),
        ),
    );
  }
}

function format({ N, r, p }: PasswordCost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}
