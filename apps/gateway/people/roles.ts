import { MAX_ROLES } from '#contracts';
import type { User } from './auth/user.js';

/** The roles that count: those that rules of tools name. */
export class Roles {
  /**
   * @param named by the rules
   * @param rolesNow of a user whose account may have changed since the socket was opened; absent: those of the token
   */
  constructor(
    private readonly named: ReadonlySet<string>,
    private readonly rolesNow: (user: User) => Promise<readonly string[]> = ({ roles }) =>
      Promise.resolve(roles),
  ) {}

  /** As they are now, sorted. */
  async of(user: User): Promise<string[]> {
    if (this.named.size === 0) return [];
    const roles = (await this.rolesNow(user)).filter((role) => this.named.has(role));
    return roles.sort().slice(0, MAX_ROLES);
  }
}
