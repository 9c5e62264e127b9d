import type { Refusals } from '#observability';
import type { Clock, Timer } from '#time';
import { RequestError } from '../../errors/request-error.js';
import { FairLines } from '../../limits/fair-lines.js';
import { networkOf } from '../../limits/network-of.js';
import { StrangerPlaces, type StrangerLimits, type StrangerRefusal } from '../../limits/stranger-places.js';

/** A client needs one round trip from the upgrade to the token. An older socket may be closed to admit another. */
const PATIENCE_MS = 3_000;
/** Half of the time that Socket.IO's client waits for a handshake. */
const LONGEST_WAIT_MS = 10_000;
/** A waiting handshake has no WebSocket yet and costs little. */
const WAITING_PER_PLACE = 4;
const CHECK_INTERVAL_MS = 100;
const FULL_RETRY_MS = 1_000;

const LIMITS: Record<StrangerRefusal, string> = {
  full: 'unknown_sockets',
  address: 'unknown_sockets_per_address',
};

export interface UnknownSocketsDeps {
  limits: StrangerLimits;
  refusals: Pick<Refusals, 'note'>;
  /** Called when their number changes by one. */
  count: (size: number) => void;
  clock: Clock;
}

/** A place that one socket holds until its user is known or it is closed. */
export interface Stranger {
  readonly address: string;
  /** May be called again. */
  leave: () => void;
  /** Ends the socket to admit another one. A place without it cannot be taken away. */
  evict?: () => void;
}

interface Inside extends Stranger {
  network: string;
  since: number;
}

interface Waiting {
  address: string;
  admit(stranger: Stranger): void;
  refuse(error: RequestError): void;
}

/** Signals that the client has left. */
export interface Closing {
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Sockets whose users are not known yet. They take no place from known users. New sockets wait for places in one line
 * per address, and the lines take turns. Clients that all reconnect at once give their places back within milliseconds.
 * Silent clients are closed after a while, and are at the end of the line when they connect again.
 */
export class UnknownSockets {
  private readonly places: StrangerPlaces;
  /** Places of handshakes with a token. Idle sockets hold none of these. */
  private readonly checks: StrangerPlaces;
  /** Oldest first. */
  private readonly inside = new Set<Inside>();
  private readonly lines = new FairLines<Waiting>();
  private looking: Timer | undefined;
  private isServing = false;
  private isStopped = false;

  constructor(private readonly deps: UnknownSocketsDeps) {
    this.places = new StrangerPlaces(deps.limits);
    this.checks = new StrangerPlaces(deps.limits);
  }

  /**
   * Waits for a place, which is given back when `socket` closes. Rejects with `RequestError` `unavailable` when too many
   * wait, or after 10 s.
   */
  enter(address: string, socket: Closing): Promise<Stranger> {
    if (this.isStopped) return Promise.reject(stopping());
    return new Promise((resolve, reject) => {
      const network = networkOf(address);
      const settle = (act: () => void) => {
        timer.cancel();
        act();
      };
      const waiting: Waiting = {
        address,
        admit: (stranger) => {
          socket.once('close', stranger.leave);
          settle(() => resolve(stranger));
        },
        refuse: (error) => settle(() => reject(error)),
      };
      const giveUp = () => {
        this.lines.delete(network, waiting);
        this.refuse(waiting);
      };
      const timer = this.deps.clock.after(LONGEST_WAIT_MS, giveUp, { unref: true });
      socket.once('close', () => {
        if (this.lines.delete(network, waiting)) waiting.refuse(gone());
      });
      this.lines.add(network, waiting);
      this.serve();
      if (this.lines.size > this.deps.limits.places * WAITING_PER_PLACE)
        this.refuse(this.lines.takeSurplus()!.item);
    });
  }

  /** Runs the check of a token that came with the handshake. Throws `RequestError` `unavailable`. */
  async whileChecked<T>(address: string, check: () => Promise<T>): Promise<T> {
    const leave = this.checks.enter(address);
    if (typeof leave === 'string') throw this.refusal(leave, address);
    return check().finally(leave);
  }

  /** Refuses all waiting sockets and all new ones. */
  stop(): void {
    this.isStopped = true;
    for (let next = this.lines.takeNext(); next; next = this.lines.takeNext()) next.refuse(stopping());
    this.looking?.cancel();
  }

  /** Admits as many waiting sockets as possible, also in place of sockets whose time is over. */
  private serve(): void {
    // Making room gives places back, which admits the next ones.
    if (this.isServing) return;
    this.isServing = true;
    do this.admit();
    while (this.makeRoom());
    this.isServing = false;
    this.looking?.cancel();
    if (this.lines.size > 0)
      this.looking = this.deps.clock.after(CHECK_INTERVAL_MS, () => this.serve(), { unref: true });
  }

  private admit(): void {
    for (;;) {
      const next = this.lines.takeNext((network) => this.places.refusalOf(network) === undefined);
      if (!next) return;
      next.admit(this.keep(next.address, this.places.enter(next.address) as () => void));
    }
  }

  /** Ends the oldest socket that keeps a waiting one out. */
  private makeRoom(): boolean {
    const newest = this.deps.clock.now() - PATIENCE_MS;
    for (const network of this.lines.networks()) {
      const reason = this.places.refusalOf(network)!;
      for (const stranger of this.inside) {
        if (stranger.since > newest) break;
        if (!stranger.evict || (reason === 'address' && stranger.network !== network)) continue;
        this.deps.refusals.note(LIMITS[reason], { address: stranger.address });
        stranger.leave();
        stranger.evict();
        return true;
      }
      if (reason === 'full') return false;
    }
    return false;
  }

  private keep(address: string, leave: () => void): Stranger {
    const stranger: Inside = {
      address,
      network: networkOf(address),
      since: this.deps.clock.now(),
      leave: () => {
        leave();
        if (!this.inside.delete(stranger)) return;
        this.deps.count(this.inside.size);
        this.serve();
      },
    };
    this.inside.add(stranger);
    this.deps.count(this.inside.size);
    return stranger;
  }

  private refuse({ address, refuse }: Waiting): void {
    refuse(this.refusal(this.places.refusalOf(networkOf(address)) ?? 'full', address));
  }

  private refusal(reason: StrangerRefusal, address: string): RequestError {
    this.deps.refusals.note(LIMITS[reason], { address });
    return new RequestError('unavailable', 'Too many connections are not signed in yet.', FULL_RETRY_MS);
  }
}

function stopping(): RequestError {
  return new RequestError('unavailable', 'This process is shutting down.', FULL_RETRY_MS);
}

function gone(): RequestError {
  return new RequestError('unavailable', 'The connection is closed.');
}
