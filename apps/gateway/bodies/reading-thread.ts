import { Worker } from 'node:worker_threads';
import type { Logger } from '#observability';
import { RequestError } from '../errors/request-error.js';
import type { ReaderName, ReaderOutput } from './readers.js';
import { fromRefusal, type ThreadAnswer } from './thread-messages.js';

/** Four times what the largest body needs; more is never touched, because values are counted before. */
const HEAP = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 32 };
const JOB_TIMEOUT_MS = 20_000;
/** A thread keeps the memory of what it has read until it ends. */
const IDLE_MS = 10_000;

interface Job {
  reader: ReaderName;
  slabs: Uint8Array<ArrayBuffer>[];
  isWanted: () => boolean;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Reads bodies in a thread, one after the other. It starts with the first one, and ends when there was none for a while. */
export class ReadingThread {
  private worker: Worker | undefined;
  private readonly waiting: Job[] = [];
  private running: Job | undefined;
  private timer: NodeJS.Timeout | undefined;
  private lastId = 0;
  private isClosed = false;

  constructor(private readonly log: Pick<Logger, 'error' | 'warn'>) {}

  /**
   * Takes the memory of `slabs` away. Rejects with what the reader throws for the client, or `RequestError` when the
   * thread could not do it.
   */
  read<Name extends ReaderName>(
    reader: Name,
    slabs: Uint8Array<ArrayBuffer>[],
    isWanted: () => boolean = () => true,
  ): Promise<ReaderOutput<Name>> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ reader, slabs, isWanted, resolve: resolve as Job['resolve'], reject });
      this.next();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.end();
  }

  private next(): void {
    if (this.running) return;
    const job = this.waiting.shift();
    clearTimeout(this.timer);
    if (!job) {
      this.timer = setTimeout(() => void this.end(), IDLE_MS).unref();
      return;
    }
    if (this.isClosed || !job.isWanted()) {
      job.reject(new RequestError('unavailable', 'This process is about to stop.'));
      return this.next();
    }
    this.running = job;
    this.worker ??= this.start();
    this.timer = setTimeout(() => this.giveUp(), JOB_TIMEOUT_MS).unref();
    const { reader, slabs } = job;
    // What is not large may share its memory with others, and is copied.
    const transfer = [...new Set(slabs.map(({ buffer }) => buffer))];
    this.worker.postMessage({ id: ++this.lastId, reader, slabs }, transfer);
  }

  private start(): Worker {
    const worker = new Worker(threadUrl(), { resourceLimits: HEAP, ...sourceOptions() });
    worker.unref();
    worker.on('message', (answer: ThreadAnswer) => this.settle(worker, answer));
    worker.on('error', (err) => this.forget(worker, err));
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
    this.log.warn({ limit_ms: JOB_TIMEOUT_MS, reader: this.running?.reader }, 'a body took too long to read');
    void this.end();
  }

  private async end(): Promise<void> {
    clearTimeout(this.timer);
    const { worker } = this;
    if (worker) this.forget(worker);
    else this.next();
    await worker?.terminate();
  }

  private forget(worker: Worker, err?: Error): void {
    if (worker !== this.worker) return;
    this.worker = undefined;
    if (err) this.log.error({ err }, 'the thread that reads bodies failed');
    const job = this.running;
    this.running = undefined;
    job?.reject(new RequestError('content_too_long', 'The body costs too much to read.'));
    if (job || this.waiting.length > 0) this.next();
  }
}

/** The compiled thread; where this file runs as TypeScript (tests), a loader that compiles it on the way. */
function threadUrl(): URL {
  return new URL(isSource() ? './testing/source-thread.mjs' : './body-thread.js', import.meta.url);
}

function sourceOptions(): { execArgv?: string[] } {
  return isSource() ? { execArgv: ['--conditions=switchyard-source'] } : {};
}

function isSource(): boolean {
  return import.meta.url.endsWith('.ts');
}
