import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { SystemClock, type Timer } from '#time';
import { DocumentIndex, type SearchHit } from './document-index.js';
import { Uninterrupted } from './uninterrupted.js';

/*
 * Runs in a worker thread: SQLite is synchronous, and indexing a large folder would stop everything else.
 */

export interface KnowledgeThreadData {
  folder: string;
  /** Of the index, or `:memory:`. */
  file: string;
  /** Of the `Uninterrupted` that the thread shares with its starter. */
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

/** Between the end of one look at the folder and the next; more when the look itself takes long. */
const RESCAN_MS = 5000;
/** Share of the time that may go into looking: 1 / (1 + this). */
const REST_PER_SCAN = 20;

/** A thread is a program of its own. */
const clock = new SystemClock();
const { folder, file, memory } = workerData as KnowledgeThreadData;
const uninterrupted = new Uninterrupted(memory);
let index: DocumentIndex | undefined;
/** The first complete look at the folder; every search waits for it, none for a later one. */
let ready: Promise<void> | undefined;
let scanning: Promise<void> = Promise.resolve();
let timer: Timer | undefined;

uninterrupted.release();
parentPort?.on('message', (request: KnowledgeRequest | 'stop') => {
  if (request === 'stop') process.exit();
  void reply(request);
});
// Ready before the first question; what goes wrong is said to whoever asks.
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

/** One look at a time, each planned when the one before has ended. A folder that is away keeps its index. */
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
