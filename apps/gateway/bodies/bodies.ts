import type { Logger, Refusals } from '#observability';
import type { Clock } from '#time';
import { BodyBudget, type BodyLimits, type HeldBody } from './body-budget.js';
import { READERS, type ReaderName, type ReaderOutput } from './readers.js';
import { ReadingThread } from './reading-thread.js';

/** Characters of graphs. */
const MAX_LENGTH_MERGED_IN_PLACE = 64 * 1024;

/** A body that nobody has parsed, because that would stop everything else. */
export class LargeBody {
  constructor(
    readonly slabs: Uint8Array<ArrayBuffer>[],
    readonly held: HeldBody,
    readonly left: AbortSignal,
  ) {}
}

/** Bodies of requests: how many bytes of them there may be, and what reads the large ones. */
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
  async read<Name extends Exclude<ReaderName, 'graphs'>>(
    request: { body?: unknown },
    reader: Name,
    userId: string,
  ): Promise<ReaderOutput<Name>> {
    const { body } = request;
    request.body = undefined;
    if (!(body instanceof LargeBody)) return READERS[reader](body) as ReaderOutput<Name>;
    try {
      return await this.thread.read(reader, body.slabs.splice(0), { userId, left: body.left });
    } finally {
      body.held.release();
    }
  }

  /** Graphs as JSON; large ones in the thread. */
  async mergeGraphs(texts: readonly string[], userId: string): Promise<string> {
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (length <= MAX_LENGTH_MERGED_IN_PLACE) return READERS.graphs(texts);
    const slabs = [new Uint8Array(Buffer.from(JSON.stringify(texts)))];
    return this.thread.read('graphs', slabs, { userId });
  }

  /** Once the answers have gone out: what is still to be read is refused as `unavailable`. */
  stop(): Promise<void> {
    return this.thread.close();
  }
}
