import { RequestError } from '../errors/request-error.js';
import { networkOf } from '../safety/network-of.js';

const RETRY_MS = 2_000;

interface Waiting {
  begin(): void;
  refuse(error: RequestError): void;
}

/**
 * Lets little of some costly work happen at once. The rest waits in one line per address, and the lines take turns, so
 * that no address delays another by more than one piece of work for each of its own. When too many wait, the newest of
 * the longest line is refused.
 */
export class BoundedWork {
  private active = 0;
  private waiting = 0;
  /** By network. The first line is the next to give one; then it goes to the end. */
  private readonly lines = new Map<string, Waiting[]>();

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
      const next = this.takeNext();
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
      const line = this.lines.get(network) ?? [];
      this.lines.set(network, line);
      line.push({ begin, refuse });
      this.waiting++;
      if (this.waiting > this.limits.waiting) this.refuseOne();
    });
  }

  private takeNext(): Waiting | undefined {
    for (const [network, line] of this.lines) {
      const next = line.shift();
      this.lines.delete(network);
      if (line.length > 0) this.lines.set(network, line);
      this.waiting--;
      return next;
    }
    return undefined;
  }

  /** Of lines that are equally long, the one that was served last. */
  private refuseOne(): void {
    let longest: { network: string; line: Waiting[] } | undefined;
    for (const [network, line] of this.lines)
      if (!longest || line.length >= longest.line.length) longest = { network, line };
    if (!longest) return;
    const { network, line } = longest;
    const newest = line.pop();
    if (line.length === 0) this.lines.delete(network);
    this.waiting--;
    this.onRefusal(network);
    newest?.refuse(new RequestError('overloaded', 'Too many sign-ins right now.', RETRY_MS));
  }
}
