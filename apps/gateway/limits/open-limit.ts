import { RequestError } from '../errors/request-error.js';

const FULL_RETRY_MS = 5_000;

/** How many things of one kind each user has open in this process. */
export class OpenLimit {
  private readonly open = new Map<string, number>();

  constructor(
    private readonly limits: {
      /** What is counted, for people: `connections`. */
      what: string;
      perUser: number;
      /** Called with the refused user. */
      onRefusal?: (userId: string) => void;
    },
  ) {}

  /** Counts one more until the returned function is called, once. Throws `RequestError` `overloaded`. */
  enter(userId: string): () => void {
    const { what, perUser, onRefusal } = this.limits;
    const count = this.open.get(userId) ?? 0;
    if (count >= perUser) {
      onRefusal?.(userId);
      throw new RequestError('overloaded', `Too many of your ${what} are open.`, FULL_RETRY_MS);
    }
    this.open.set(userId, count + 1);
    return () => {
      const left = this.open.get(userId)! - 1;
      if (left > 0) this.open.set(userId, left);
      else this.open.delete(userId);
    };
  }
}
