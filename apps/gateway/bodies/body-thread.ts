import { parentPort } from 'node:worker_threads';
import { READERS } from './readers.js';
import { textOf } from './receive-body.js';
import { toRefusal, type ThreadAnswer, type ThreadData } from './thread-messages.js';

/*
 * Runs in a worker thread: parsing a large body, and what follows, would stop everything else for as long as it takes.
 */

parentPort?.on('message', (data: ThreadData) => parentPort?.postMessage(answer(data)));

function answer({ id, reader, slabs }: ThreadData): ThreadAnswer {
  try {
    const read = READERS[reader] as (body: unknown) => unknown;
    return { id, value: read(JSON.parse(textOf(slabs))) };
  } catch (error) {
    const refusal = toRefusal(error);
    return refusal ? { id, refusal } : { id, bug: String((error as Error).stack) };
  }
}
