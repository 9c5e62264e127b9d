import type { GatewayLimits } from '#bootstrap';
import { OpenLimit } from '../../limits/open-limit.js';
import { RequestError } from '../../errors/request-error.js';
import { StrangerPlaces } from '../../limits/stranger-places.js';

export type RequestLimits = Pick<
  GatewayLimits,
  'httpRequests' | 'httpRequestsPerUser' | 'unknownRequests' | 'unknownRequestsPerAddress'
>;

/** Gives a place back; calling it again does nothing. */
export type Leave = () => void;

/** A request that got no place. */
export class NoPlaceError extends RequestError {
  /** @param limit its name for operators */
  constructor(
    readonly limit: string,
    readonly status: number,
    message: string,
  ) {
    super('overloaded', message, RETRY_MS);
  }
}

const RETRY_MS = 1_000;
const FULL = 'Too many requests at once.';

/**
 * Places for HTTP requests that are being answered. Strangers have a pool of their own: whatever they hold, known users
 * are served. The bodies that strangers still have to send are counted apart from the requests that are whole, so
 * half-sent requests keep no stranger from signing in.
 */
export class RequestPlaces {
  private open = 0;
  private readonly users: OpenLimit;
  private readonly checked: StrangerPlaces;
  private readonly bodies: StrangerPlaces;
  private readonly answers: StrangerPlaces;

  constructor(private readonly limits: RequestLimits) {
    const { httpRequests, httpRequestsPerUser: perUser } = limits;
    const strangers = { places: limits.unknownRequests, perAddress: limits.unknownRequestsPerAddress };
    this.users = new OpenLimit({ what: 'requests', perUser });
    this.checked = new StrangerPlaces({ ...strangers, places: httpRequests });
    this.bodies = new StrangerPlaces(strangers);
    this.answers = new StrangerPlaces(strangers);
  }

  /** While a token is being checked: an issuer or a store that is slow must not gather requests. */
  check(address: string): Leave {
    return enterPool(this.checked, address, 'http_requests');
  }

  /**
   * @param userId undefined where all clients are one user
   * @returns `endCount`: from then on the request does not count as one of its user's. Throws `NoPlaceError`.
   */
  enterAsUser(userId: string | undefined): { leave: Leave; endCount: Leave } {
    if (this.open >= this.limits.httpRequests) throw new NoPlaceError('http_requests', 503, FULL);
    const endCount = this.countUser(userId);
    this.open++;
    const leave = once(() => {
      this.open--;
      endCount();
    });
    return { leave, endCount };
  }

  /** While a stranger's body is on its way. Throws `NoPlaceError`. */
  awaitBody(address: string): Leave {
    return enterPool(this.bodies, address, 'unknown_requests');
  }

  /** While a stranger's request is being answered. Throws `NoPlaceError`. */
  enterAsStranger(address: string): Leave {
    return enterPool(this.answers, address, 'unknown_requests');
  }

  private countUser(userId: string | undefined): Leave {
    if (userId === undefined) return () => undefined;
    try {
      return once(this.users.enter(userId));
    } catch {
      throw new NoPlaceError('http_requests_per_user', 429, 'Too many of your requests are open.');
    }
  }
}

function enterPool(places: StrangerPlaces, address: string, limit: string): Leave {
  const entered = places.enter(address);
  if (typeof entered === 'function') return entered;
  if (entered === 'full') throw new NoPlaceError(limit, 503, FULL);
  throw new NoPlaceError('unknown_requests_per_address', 429, 'Too many requests from your address at once.');
}

function once(act: () => void): Leave {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
