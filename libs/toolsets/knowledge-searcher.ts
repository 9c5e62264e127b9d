import type { Worker } from 'node:worker_threads';
import { startThread } from '#tools';
import type { SearchHit } from './document-index.js';
import type { KnowledgeAnswer, KnowledgeRequest, KnowledgeThreadData } from './knowledge-thread.js';
import { Uninterrupted } from './uninterrupted.js';

const THREAD = { compiled: './knowledge-thread.js', source: './testing/source-thread.mjs' };

/** The folder or the thread does not exist. */
export class KnowledgeUnavailableError extends Error {
  override name = 'KnowledgeUnavailableError';
}

interface Waiting {
  resolve(hits: SearchHit[]): void;
  reject(error: Error): void;
}

/** How long the process waits at its end for the thread's last batch or search. */
const LAST_BATCH_MS = 5000;

/** Queries the index thread, which starts with the first query (or `start`) and again after it died. */
export class KnowledgeSearcher {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  constructor(private readonly files: Pick<KnowledgeThreadData, 'folder' | 'file'>) {}

  start(): void {
    this.worker ??= this.startThread();
  }

  search(query: string): Promise<SearchHit[]> {
    this.start();
    const request: KnowledgeRequest = { id: ++this.lastId, query };
    return new Promise((resolve, reject) => {
      this.waiting.set(request.id, { resolve, reject });
      this.worker?.postMessage(request);
    });
  }

  /** Resolves when the thread has ended by itself: see `Uninterrupted`. */
  async stop(): Promise<void> {
    const { worker } = this;
    if (!worker) return;
    worker.ref();
    worker.postMessage('stop');
    await new Promise((resolve) => worker.once('exit', resolve));
  }

  private startThread(): Worker {
    const uninterrupted = new Uninterrupted();
    // Taken for the thread, which holds it until it has loaded the native module.
    uninterrupted.take();
    const workerData: KnowledgeThreadData = { ...this.files, memory: uninterrupted.memory };
    const worker = startThread(import.meta.url, THREAD, { workerData });
    const finish = () => uninterrupted.take(LAST_BATCH_MS);
    process.once('exit', finish);
    worker.once('exit', () => process.off('exit', finish));
    // An idle index must not keep the process alive.
    worker.unref();
    worker.on('message', (answer: KnowledgeAnswer) => this.settle(answer));
    worker.on('error', () => this.forget(worker));
    worker.on('exit', () => this.forget(worker));
    return worker;
  }

  private settle(answer: KnowledgeAnswer): void {
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if ('hits' in answer) waiting?.resolve(answer.hits);
    else if (answer.problem === 'failed') waiting?.reject(new Error(answer.reason));
    else waiting?.reject(new KnowledgeUnavailableError());
  }

  private forget(worker: Worker): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(new KnowledgeUnavailableError());
    this.waiting.clear();
  }
}
