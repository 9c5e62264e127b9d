import type { Worker } from 'node:worker_threads';
import type { Logger } from '#observability';
import type { Clock, Timer } from '#time';
import { startThread } from '#tools';
import { RequestError } from '../../errors/request-error.js';
import { FairLines } from '../../limits/fair-lines.js';
import type { BodyReader } from './body-reader.js';
import { fromRefusal, type ThreadAnswer, type ThreadData } from './thread-messages.js';

/** Four times what the largest body needs; more is never touched, because values are counted before. */
const HEAP = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 32 };
const THREAD = { compiled: './body-thread.js', source: './testing/source-thread.mjs' };
const JOB_TIMEOUT_MS = 20_000;
/** A thread keeps the memory of what it has read until it ends. */
const IDLE_MS = 10_000;

export interface ReadFor {
  userId: string;
  /** Aborted when no caller waits for it. */
  left?: AbortSignal;
}

/** All that the thread knows about a reader. */
type ReaderPlace = Pick<BodyReader<unknown>, 'module' | 'name'>;

interface Job {
  reader: ReaderPlace;
  slabs: Uint8Array<ArrayBuffer>[];
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Reads bodies in a thread, one after the other; users take turns. It starts with the first one, and ends when there was
 * none for a while.
 */
export class ReadingThread {
  private worker: Worker | undefined;
  private readonly waiting = new FairLines<Job>();
  private running: Job | undefined;
  private timer: Timer | undefined;
  private lastId = 0;
  private isClosed = false;

  constructor(
    private readonly log: Pick<Logger, 'error' | 'warn'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes the memory of `slabs` away. Rejects with what the reader throws for the client, or `RequestError` when the
   * thread could not do it; with `unavailable` when it was closed, or the client left before its turn came.
   */
  read<Output>(
    { module, name }: BodyReader<Output, never>,
    slabs: Uint8Array<ArrayBuffer>[],
    { userId, left }: ReadFor,
  ): Promise<Output> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(stopping());
      const leave = () =>
        reject(new RequestError('unavailable', 'The client no longer waits for this request.'));
      if (left?.aborted) return leave();
      const job: Job = { reader: { module, name }, slabs, resolve, reject };
      this.waiting.add(userId, job);
      // Its memory counts as released from now on.
      left?.addEventListener('abort', () => this.waiting.delete(userId, job) && leave(), { once: true });
      this.next();
    });
  }

  /** Bodies not read by now are never read. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (let job = this.waiting.takeNext(); job; job = this.waiting.takeNext()) job.reject(stopping());
    await this.end(stopping());
  }

  private next(): void {
    if (this.running) return;
    const job = this.waiting.takeNext();
    this.timer?.cancel();
    if (!job) {
      this.timer = this.clock.after(IDLE_MS, () => void this.end(), { unref: true });
      return;
    }
    this.running = job;
    this.worker ??= this.start();
    this.timer = this.clock.after(JOB_TIMEOUT_MS, () => this.giveUp(), { unref: true });
    const { reader, slabs } = job;
    // A body that is not large may share its memory with others, so it is copied.
    const transfer = [...new Set(slabs.map(({ buffer }) => buffer))];
    this.worker.postMessage({ id: ++this.lastId, reader, slabs } satisfies ThreadData, transfer);
  }

  private start(): Worker {
    const worker = startThread(import.meta.url, THREAD, { resourceLimits: HEAP });
    worker.unref();
    worker.on('message', (answer: ThreadAnswer) => this.settle(worker, answer));
    worker.on('error', (err) => this.lose(worker, err));
    worker.on('exit', () => this.forget(worker));
    return worker;
  }

  private settle(worker: Worker, answer: ThreadAnswer): void {
    if (worker !== this.worker || answer.id !== this.lastId || !this.running) return;
    const job = this.running;
    this.running = undefined;
    if ('value' in answer) job.resolve(answer.value);
    else if ('refusal' in answer) job.reject(fromRefusal(answer.refusal));
    else job.reject(new Error(answer.bug));
    this.next();
  }

  private giveUp(): void {
    this.log.warn(
      { limit_ms: JOB_TIMEOUT_MS, reader: this.running?.reader.name },
      'reading a body timed out',
    );
    void this.end();
  }

  private async end(why = tooCostly()): Promise<void> {
    this.timer?.cancel();
    const { worker } = this;
    if (worker) this.forget(worker, why);
    await worker?.terminate();
  }

  private lose(worker: Worker, err: Error): void {
    if (worker === this.worker) this.log.error({ err }, 'body reading thread failed');
    this.forget(worker);
  }

  private forget(worker: Worker, why = tooCostly()): void {
    if (worker !== this.worker) return;
    this.timer?.cancel();
    this.worker = undefined;
    const job = this.running;
    this.running = undefined;
    job?.reject(why);
    if (this.waiting.size > 0) this.next();
  }
}

function tooCostly(): RequestError {
  return new RequestError('content_too_long', 'The body is too expensive to parse.');
}

function stopping(): RequestError {
  return new RequestError('unavailable', 'This process is shutting down.');
}
