import { RequestError } from '../errors/request-error.js';

const RETRY_MS = 2_000;

/** Lets little of some costly work happen at once; the rest waits in line, and beyond that it is refused. */
export class BoundedWork {
  private active = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limits: { atOnce: number; waiting: number }) {}

  /** Throws `RequestError` `overloaded` when the line is full. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The place is handed over, so that nobody who comes just now takes it.
      if (next) next();
      else this.active--;
    }
  }

  private async enter(): Promise<void> {
    if (this.active < this.limits.atOnce) {
      this.active++;
      return;
    }
    if (this.waiting.length >= this.limits.waiting)
      throw new RequestError('overloaded', 'Too many people sign in at this moment.', RETRY_MS);
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}
