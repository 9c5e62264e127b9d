import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { SystemClock, type Timer } from '#time';
import { DocumentIndex, type SearchHit } from './document-index.js';
import { Uninterrupted } from './uninterrupted.js';

/* Runs in a worker thread: SQLite is synchronous, and indexing a large folder would block everything else. */

export interface KnowledgeThreadData {
  folder: string;
  /** The file of the index, or `:memory:`. */
  file: string;
  /** The memory of the `Uninterrupted` that the thread shares with its starter. */
  memory: SharedArrayBuffer;
}

export interface KnowledgeRequest {
  id: number;
  query: string;
}

export type KnowledgeAnswer =
  | { id: number; hits: SearchHit[] }
  | { id: number; problem: 'unavailable' }
  | { id: number; problem: 'failed'; reason: string };

/** The pause between two looks at the folder; longer when the look itself takes long. */
const RESCAN_MS = 5000;
/** The share of time for looks is at most 1 / (1 + this). */
const REST_PER_SCAN = 20;

/** A thread is a separate program, so it has its own clock. */
const clock = new SystemClock();
const { folder, file, memory } = workerData as KnowledgeThreadData;
const uninterrupted = new Uninterrupted(memory);
let index: DocumentIndex | undefined;
/** The first complete look at the folder. Every search waits for it, but not for a later one. */
let ready: Promise<void> | undefined;
let scanning: Promise<void> = Promise.resolve();
let timer: Timer | undefined;

uninterrupted.release();
parentPort?.on('message', (request: KnowledgeRequest | 'stop') => {
  if (request === 'stop') process.exit();
  void reply(request);
});
// Starts before the first query; each query reports a failure.
becomeReady().catch(() => undefined);

async function reply(request: KnowledgeRequest): Promise<void> {
  parentPort?.postMessage(await answer(request));
}

async function answer({ id, query }: KnowledgeRequest): Promise<KnowledgeAnswer> {
  if (!isFolder()) {
    ready = undefined;
    return { id, problem: 'unavailable' };
  }
  try {
    await becomeReady();
    return { id, hits: index!.search(query) };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { id, problem: 'failed', reason: String(code ?? message) };
  }
}

function isFolder(): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function becomeReady(): Promise<void> {
  ready ??= scan().catch((error: unknown) => {
    ready = undefined;
    throw error;
  });
  return ready;
}

/** Runs one look at a time and plans the next one when it has ended. A missing folder keeps its index. */
function scan(): Promise<void> {
  scanning = scanning.catch(() => undefined).then(update);
  return scanning;
}

async function update(): Promise<void> {
  timer?.cancel();
  const startedAt = clock.now();
  try {
    index ??= new DocumentIndex(folder, file, clock, uninterrupted);
    await index.update();
  } finally {
    const restMs = Math.max(RESCAN_MS, (clock.now() - startedAt) * REST_PER_SCAN);
    timer = clock.after(restMs, () => void scan().catch(() => undefined));
  }
}
