import { networkOf } from './network-of.js';

/** Why a stranger got no place: every place is taken, or its address has its share of a crowded pool. */
export type StrangerRefusal = 'full' | 'address';

export interface StrangerLimits {
  /** Held at once by all strangers together. */
  places: number;
  /** Held at once by one address (of IPv6 its /64), counted only while more than half of `places` are taken. */
  perAddress: number;
}

/**
 * Places for clients that have not authenticated yet. The limit per address holds only in a crowded pool, so that a
 * team behind one address is not shut out of an idle gateway.
 */
export class StrangerPlaces {
  private taken = 0;
  private readonly byNetwork = new Map<string, number>();

  constructor(private readonly limits: StrangerLimits) {}

  get size(): number {
    return this.taken;
  }

  /** Why this network would get no place now; undefined if it would. */
  refusalOf(network: string): StrangerRefusal | undefined {
    const { places, perAddress } = this.limits;
    if (this.taken >= places) return 'full';
    const held = this.byNetwork.get(network) ?? 0;
    return this.taken > places / 2 && held >= perAddress ? 'address' : undefined;
  }

  /** Takes a place until the returned function is called (again: does nothing), or returns why there is none. */
  enter(address: string): (() => void) | StrangerRefusal {
    const network = networkOf(address);
    const refusal = this.refusalOf(network);
    if (refusal) return refusal;
    this.taken++;
    this.byNetwork.set(network, (this.byNetwork.get(network) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.leave(network);
    };
  }

  private leave(network: string): void {
    this.taken--;
    const left = this.byNetwork.get(network)! - 1;
    if (left > 0) this.byNetwork.set(network, left);
    else this.byNetwork.delete(network);
  }
}
