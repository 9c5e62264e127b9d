import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '#time';
import { Bindings, type BindingStore } from '../bindings.js';
import { networkOf } from '../../limits/network-of.js';

const KEPT_MS = 90 * 24 * 3_600_000;
/** Per account, newest first: one row, however many addresses its owner has. */
const MAX_NETWORKS = 10;
const KEY = 'networks';

/**
 * The networks from which an account was signed in to, by hash. Wrong passwords from elsewhere do not lock these out:
 * otherwise anyone could lock any user out.
 */
export class KnownNetworks {
  private readonly bindings;

  constructor(store: BindingStore, clock: Pick<Clock, 'wall'>) {
    this.bindings = new Bindings(store, 'sign-in', z.array(z.string()), { keptMs: KEPT_MS, clock });
  }

  /** @param account its id, or anything else for an account that does not exist: the work is the same */
  async has(account: string, address: string): Promise<boolean> {
    return (await this.read(account)).includes(hashOf(account, address));
  }

  /** A lost race between two addresses costs one of them its protection until its next sign-in. */
  async add(account: string, address: string): Promise<void> {
    const known = await this.read(account);
    await this.bindings.put(account, KEY, [hashOf(account, address), ...known].slice(0, MAX_NETWORKS));
  }

  private async read(account: string): Promise<string[]> {
    return (await this.bindings.get(account, KEY)) ?? [];
  }
}

function hashOf(account: string, address: string): string {
  return createHash('sha256')
    .update(`${account} ${networkOf(address)}`)
    .digest('base64url')
    .slice(0, 22);
}
