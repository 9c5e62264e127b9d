import type { Worker } from 'node:worker_threads';
import { startThread } from '../start-thread.js';
import type { SearchHit } from './document-index.js';
import type { KnowledgeAnswer, KnowledgeRequest, KnowledgeThreadData } from './knowledge-thread.js';

const THREAD = { compiled: './knowledge-thread.js', source: '../testing/source-thread.mjs' };

/** The folder or the thread is not there. */
export class KnowledgeUnavailableError extends Error {
  override name = 'KnowledgeUnavailableError';
}

interface Waiting {
  resolve(hits: SearchHit[]): void;
  reject(error: Error): void;
}

/** Asks the index thread, which starts with the first question (or `start`) and again after it died. */
export class KnowledgeSearcher {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  constructor(private readonly data: KnowledgeThreadData) {}

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

  async stop(): Promise<void> {
    await this.worker?.terminate();
  }

  private startThread(): Worker {
    const worker = startThread(import.meta.url, THREAD, { workerData: this.data });
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
