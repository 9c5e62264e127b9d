import type { GatewayLimits } from '#bootstrap';
import type { Refusals } from '#observability';
import type { Clock } from '#time';
import { MinuteLimit } from '../../limits/minute-limit.js';
import type { SharedCounts } from '../../limits/shared-counts.js';
import { networkOf } from '../../limits/network-of.js';

/** Of all clients together within a minute: bounds the memory. */
const MAX_REMEMBERED = 100_000;

type LimitName = 'wrong_passwords_per_minute' | 'wrong_passwords_per_address' | 'registrations_per_address';

/** The account for which a password is tried. */
export interface SignInTarget {
  /** The account's id when it exists, so that all its names count together. */
  key: string;
  /** For the log. Undefined: there is no such account, and the typed name may be a password. */
  userId: string | undefined;
  /** Whether the account was signed in to from this address before: such an address counts separately. */
  isKnown: boolean;
}

/** One attempt that counts as wrong until it is known to be right. */
export interface SignInAttempt {
  against(target: SignInTarget): void;
  forget(): void;
}

/** How often passwords may be tried and accounts created. Throws `RequestError` `overloaded`. */
export class SignInLimits {
  private readonly byAccount: MinuteLimit;
  private readonly byAddress: MinuteLimit;
  private readonly registrations: MinuteLimit;

  constructor(
    limits: GatewayLimits,
    private readonly refusals: Pick<Refusals, 'note'>,
    counts: Pick<SharedCounts, 'share'>,
    clock: Pick<Clock, 'now'>,
  ) {
    const limit = (name: LimitName, what: string, perUser: number) => {
      const counter = new MinuteLimit({ what, perUser, inAll: MAX_REMEMBERED }, clock);
      counts.share(name, counter);
      return counter;
    };
    const { wrongPasswordsPerMinute, wrongPasswordsPerAddress, registrationsPerAddress } = limits;
    this.byAccount = limit('wrong_passwords_per_minute', 'wrong passwords', wrongPasswordsPerMinute);
    this.byAddress = limit('wrong_passwords_per_address', 'wrong passwords', wrongPasswordsPerAddress);
    this.registrations = limit('registrations_per_address', 'registrations', registrationsPerAddress);
  }

  begin(address: string): SignInAttempt {
    const network = networkOf(address);
    this.take(this.byAddress, network, { limit: 'wrong_passwords_per_address', address });
    let counted: string | undefined;
    return {
      against: ({ key, userId, isKnown }) => {
        const counter = isKnown ? `${key} ${network}` : key;
        this.take(this.byAccount, counter, {
          limit: 'wrong_passwords_per_minute',
          address,
          user_id: userId,
        });
        counted = counter;
      },
      forget: () => {
        this.byAddress.giveBack(network);
        if (counted !== undefined) this.byAccount.giveBack(counted);
      },
    };
  }

  register(address: string): void {
    this.take(this.registrations, networkOf(address), { limit: 'registrations_per_address', address });
  }

  private take(
    counter: MinuteLimit,
    key: string,
    { limit, ...about }: { limit: LimitName; address: string; user_id?: string },
  ): void {
    try {
      counter.take(key);
    } catch (error) {
      this.refusals.note(limit, about);
      throw error;
    }
  }
}
