import { networkOf } from '../../limits/network-of.js';

export interface ConnectionLimits {
  /** Kept at once. */
  places: number;
  /** Kept at once for one address (of IPv6 its /64), counted only while more than half of `places` are taken. */
  perAddress: number;
}

/** Which limit a connection was closed for. */
export type ClosedFor = 'idle_connections' | 'idle_connections_per_address';

interface Closable {
  destroy(): void;
}

interface Spare {
  network: string | undefined;
}

/**
 * The connections on which no request is being answered: idle ones, and those whose headers are still to come. A new one
 * is never refused, as it may carry a health check or the request of a known user; the one that has been spare longest
 * is closed instead, one of the same address where that address has its share.
 */
export class SpareConnections {
  /** Oldest first. */
  private readonly all = new Map<Closable, Spare>();
  /** Oldest first. */
  private readonly byNetwork = new Map<string, Set<Closable>>();

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly onClose: (limit: ClosedFor, network: string | undefined) => void,
  ) {}

  get size(): number {
    return this.all.size;
  }

  /** @param address undefined: a trusted proxy's, which has no limit of its own */
  add(connection: Closable, address: string | undefined): void {
    const network = address === undefined ? undefined : networkOf(address);
    this.all.set(connection, { network });
    if (network !== undefined) {
      const same = this.byNetwork.get(network) ?? new Set();
      this.byNetwork.set(network, same.add(connection));
    }
    const { places, perAddress } = this.limits;
    const same = network === undefined ? undefined : this.byNetwork.get(network);
    if (same && this.all.size > places / 2 + 1 && same.size > perAddress)
      this.close(same, 'idle_connections_per_address');
    else if (this.all.size > places) this.close(this.all.keys(), 'idle_connections');
  }

  delete(connection: Closable): void {
    const spare = this.all.get(connection);
    if (!spare) return;
    this.all.delete(connection);
    const { network } = spare;
    if (network === undefined) return;
    const same = this.byNetwork.get(network)!;
    same.delete(connection);
    if (same.size === 0) this.byNetwork.delete(network);
  }

  private close(oldestFirst: Iterable<Closable>, limit: ClosedFor): void {
    for (const oldest of oldestFirst) {
      const network = this.all.get(oldest)?.network;
      this.delete(oldest);
      oldest.destroy();
      return this.onClose(limit, network);
    }
  }
}
