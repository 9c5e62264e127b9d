import { parentPort } from 'node:worker_threads';
import { textOf } from './receive-body.js';
import { toRefusal, type ThreadAnswer, type ThreadData } from './thread-messages.js';

/*
 * Runs in a worker thread: parsing a large body, and what follows, would stop everything else for as long as it takes.
 */

parentPort?.on('message', (data: ThreadData) => {
  void answer(data).then((answered) => parentPort?.postMessage(answered));
});

async function answer({ id, reader, slabs }: ThreadData): Promise<ThreadAnswer> {
  try {
    const module = (await import(reader.module)) as Record<string, (body: unknown) => unknown>;
    return { id, value: module[reader.name]!(JSON.parse(textOf(slabs))) };
  } catch (error) {
    const refusal = toRefusal(error);
    return refusal ? { id, refusal } : { id, bug: String((error as Error).stack) };
  }
}
