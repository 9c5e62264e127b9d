import type { Refusals } from '#observability';
import { RequestError } from '../errors/request-error.js';
import { networkOf } from '../safety/network-of.js';
import { StrangerPlaces, type StrangerLimits, type StrangerRefusal } from '../safety/stranger-places.js';

/** From the upgrade to the token a client needs one round trip. An older one may be made to go when others come. */
const PATIENCE_MS = 3_000;
const FULL_RETRY_MS = 1_000;

const LIMITS: Record<StrangerRefusal, string> = {
  full: 'unknown_sockets',
  address: 'unknown_sockets_per_address',
};

export interface UnknownSocketsDeps {
  limits: StrangerLimits;
  refusals: Pick<Refusals, 'note'>;
  /** Called when there is one more or less. */
  count: (size: number) => void;
  now?: () => number;
}

/** A place that one socket holds until its user is known, or it has gone. */
export interface Stranger {
  readonly address: string;
  /** May be called again. */
  leave: () => void;
  /** Ends the socket, for another one to come in; a place without it is not taken away. */
  evict?: () => void;
}

interface Waiting extends Stranger {
  network: string;
  since: number;
}

/** Sockets whose users are not known yet. They take no place of those whose users are. */
export class UnknownSockets {
  private readonly places: StrangerPlaces;
  /** Of handshakes that bring a token. Idle sockets hold none of these. */
  private readonly checks: StrangerPlaces;
  /** Oldest first. */
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly deps: UnknownSocketsDeps) {
    this.places = new StrangerPlaces(deps.limits);
    this.checks = new StrangerPlaces(deps.limits);
  }

  /** Throws `RequestError` `unavailable`. */
  enter(address: string): Stranger {
    const network = networkOf(address);
    for (;;) {
      const leave = this.places.enter(address);
      if (typeof leave === 'function') return this.keep(address, leave);
      const old = this.oldestInTheWay(leave, network);
      if (!old) throw this.refusal(leave, address);
      this.deps.refusals.note(LIMITS[leave], { address: old.address });
      old.leave();
      old.evict!();
    }
  }

  /** Runs the check of a token that came with the handshake. Throws `RequestError` `unavailable`. */
  async whileChecked<T>(address: string, check: () => Promise<T>): Promise<T> {
    const leave = this.checks.enter(address);
    if (typeof leave === 'string') throw this.refusal(leave, address);
    return check().finally(leave);
  }

  private keep(address: string, leave: () => void): Stranger {
    const stranger: Waiting = {
      address,
      network: networkOf(address),
      since: this.now(),
      leave: () => {
        leave();
        if (this.waiting.delete(stranger)) this.deps.count(this.waiting.size);
      },
    };
    this.waiting.add(stranger);
    this.deps.count(this.waiting.size);
    return stranger;
  }

  /** The one that makes room for a newcomer; undefined if all of them are nearly as new. */
  private oldestInTheWay(reason: StrangerRefusal, network: string): Waiting | undefined {
    const newest = this.now() - PATIENCE_MS;
    for (const stranger of this.waiting) {
      if (stranger.since > newest) return undefined;
      if (stranger.evict && (reason === 'full' || stranger.network === network)) return stranger;
    }
    return undefined;
  }

  private refusal(reason: StrangerRefusal, address: string): RequestError {
    this.deps.refusals.note(LIMITS[reason], { address });
    return new RequestError('unavailable', 'Too many connections that are not signed in.', FULL_RETRY_MS);
  }

  private now(): number {
    return (this.deps.now ?? performance.now.bind(performance))();
  }
}
