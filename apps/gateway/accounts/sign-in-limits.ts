import type { GatewayLimits } from '#bootstrap';
import { MinuteLimit } from '../auth/minute-limit.js';
import { networkOf } from '../safety/network-of.js';

/** Of all together within a minute: bounds what is remembered. */
const MAX_REMEMBERED = 100_000;

/** One try that counts as wrong until it is known to be right. */
export interface SignInAttempt {
  forget(): void;
}

/** How often this process lets passwords be tried, and accounts be made. Throws `RequestError` `overloaded`. */
export class SignInLimits {
  private readonly byAccount: MinuteLimit;
  private readonly byAddress: MinuteLimit;
  private readonly registrations: MinuteLimit;

  constructor(limits: GatewayLimits, now?: () => number) {
    const limit = (what: string, perUser: number) =>
      new MinuteLimit({ what, perUser, inAll: MAX_REMEMBERED }, now);
    this.byAccount = limit('wrong passwords', limits.wrongPasswordsPerMinute);
    this.byAddress = limit('wrong passwords', limits.wrongPasswordsPerAddress);
    this.registrations = limit('registrations', limits.registrationsPerAddress);
  }

  /** @param accountKey what the account would be found by; whether it exists makes no difference */
  begin(address: string, accountKey: string): SignInAttempt {
    const network = networkOf(address);
    this.byAddress.take(network);
    this.byAccount.take(accountKey);
    return {
      forget: () => {
        this.byAddress.giveBack(network);
        this.byAccount.giveBack(accountKey);
      },
    };
  }

  register(address: string): void {
    this.registrations.take(networkOf(address));
  }
}
