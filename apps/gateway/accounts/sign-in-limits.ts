import { isIPv6 } from 'node:net';
import type { GatewayLimits } from '#bootstrap';
import { MinuteLimit } from '../auth/minute-limit.js';

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

/** Whoever has one IPv6 address has the 2⁶⁴ around it, too. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return address;
  const [head = '', tail] = bare.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const left = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(left).fill('0'), ...after].slice(0, 4);
  return `${groups.map((group) => parseInt(group, 16).toString(16)).join(':')}::/64`;
}
