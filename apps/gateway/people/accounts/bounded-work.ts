import { RequestError } from '../../errors/request-error.js';
import { FairLines } from '../../limits/fair-lines.js';
import { networkOf } from '../../limits/network-of.js';

const RETRY_MS = 2_000;

interface Waiting {
  begin(): void;
  refuse(error: RequestError): void;
}

/**
 * Runs only a few pieces of costly work at once. The rest waits in one line per address, and the lines take turns, so
 * that no address delays another by more than one piece of work for each of its own. When too many wait, the newest of
 * the longest line is refused.
 */
export class BoundedWork {
  private active = 0;
  private readonly lines = new FairLines<Waiting>();

  constructor(
    private readonly limits: { atOnce: number; waiting: number },
    private readonly onRefusal: (network: string) => void = () => undefined,
  ) {}

  /** Throws `RequestError` `overloaded` when the line is full. */
  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    await this.enter(networkOf(address));
    try {
      return await work();
    } finally {
      const next = this.lines.takeNext();
      // The place is handed over, so that a newcomer does not take it.
      if (next) next.begin();
      else this.active--;
    }
  }

  private async enter(network: string): Promise<void> {
    if (this.active < this.limits.atOnce) {
      this.active++;
      return;
    }
    await new Promise<void>((begin, refuse) => {
      this.lines.add(network, { begin, refuse });
      if (this.lines.size > this.limits.waiting) this.refuseOne();
    });
  }

  private refuseOne(): void {
    const surplus = this.lines.takeSurplus();
    if (!surplus) return;
    this.onRefusal(surplus.network);
    surplus.item.refuse(new RequestError('overloaded', 'Too many sign-ins right now.', RETRY_MS));
  }
}
