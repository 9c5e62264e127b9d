import type { Logger, Refusals } from '#observability';
import type { Clock } from '#time';
import { BodyBudget, type BodyLimits, type HeldBody } from './body-budget.js';
import type { BodyReader } from './body-reader.js';
import { ReadingThread } from './reading-thread.js';

/** Characters of texts. */
const MAX_LENGTH_READ_IN_PLACE = 64 * 1024;

/** Bodies of requests: the limits of their bytes, and the reader of large ones. */
export class Bodies {
  readonly budget: BodyBudget;
  private readonly thread: ReadingThread;

  constructor({
    limits,
    refusals,
    log,
    clock,
  }: {
    limits: BodyLimits;
    refusals: Refusals;
    log: Logger;
    clock: Clock;
  }) {
    this.budget = new BodyBudget(limits, refusals);
    this.thread = new ReadingThread(log, clock);
  }

  /**
   * What the body of a request comes to, which the request then has no longer. Large ones wait in a line of their user.
   * Throws what the reader throws, or `BodyError`.
   */
  async read<Output>(
    request: { body?: unknown },
    reader: BodyReader<Output>,
    userId: string,
  ): Promise<Output> {
    const { body } = request;
    request.body = undefined;
    if (!(body instanceof LargeBody)) return reader.read(body);
    try {
      return await this.thread.read(reader, body.slabs.splice(0), { userId, left: body.left });
    } finally {
      body.held.release();
    }
  }

  /** The same for texts that arrived another way; large ones are read in the thread. */
  async readTexts<Output>(
    texts: readonly string[],
    reader: BodyReader<Output, readonly string[]>,
    userId: string,
  ): Promise<Output> {
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (length <= MAX_LENGTH_READ_IN_PLACE) return reader.read(texts);
    const slabs = [new Uint8Array(Buffer.from(JSON.stringify(texts)))];
    return this.thread.read(reader, slabs, { userId });
  }

  /** Once the answers have gone out: what is still to be read is refused as `unavailable`. */
  stop(): Promise<void> {
    return this.thread.close();
  }
}

/** A body that is not parsed yet, because parsing it here would block the event loop. */
export class LargeBody {
  constructor(
    readonly slabs: Uint8Array<ArrayBuffer>[],
    readonly held: HeldBody,
    readonly left: AbortSignal,
  ) {}
}
