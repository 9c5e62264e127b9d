import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SystemClock } from '#time';
import { chatReader } from '../../dialects/chat-artifacts/read-chat.js';
import { completionReader } from '../../dialects/openai/completion-request.js';
import { ReadingThread } from './reading-thread.js';

const quiet = { error: () => undefined, warn: () => undefined } as never;
const threads: ReadingThread[] = [];
const open = () => {
  const thread = new ReadingThread(quiet, new SystemClock());
  threads.push(thread);
  return thread;
};
const ANN = { userId: 'ann' };
const slabsOf = (text: string) => [new Uint8Array(Buffer.from(text))];

afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close();
});

describe('ReadingThread', () => {
  it('reads bodies one after the other, and moves their memory to the thread', async () => {
    const thread = open();
    const slabs = slabsOf('{"message":"Hi","pinnedArtifacts":[{"type":"text/plain","content":"x"}]}');
    const read = await Promise.all([
      thread.read(chatReader, slabs, ANN),
      thread.read(chatReader, slabsOf('{"message":"Ho"}'), ANN),
    ]);
    expect(read.map(({ request }) => request.message)).toEqual(['Hi', 'Ho']);
    expect(read[0].context).toContain('<pinned_artifact');
    expect(slabs[0]!.byteLength).toBe(0);
  });

  it('rejects with the reader’s error, and continues with the next body', async () => {
    const thread = open();
    await expect(thread.read(chatReader, slabsOf('{}'), ANN)).rejects.toMatchObject({ code: 'invalid' });
    await expect(thread.read(chatReader, slabsOf('{'), ANN)).rejects.toMatchObject({
      name: 'NoJsonError',
      status: 400,
    });
    await expect(thread.read(completionReader, slabsOf('{"model":"m"}'), ANN)).rejects.toMatchObject({
      about: { param: 'messages' },
    });
    await expect(thread.read(chatReader, slabsOf('{"message":"Hi"}'), ANN)).resolves.toMatchObject({
      written: [],
    });
  });

  it('starts again after its thread has ended, and reads nothing once it is closed', async () => {
    const thread = open();
    await thread.read(chatReader, slabsOf('{"message":"Hi"}'), ANN);
    await thread.close();
    await expect(thread.read(chatReader, slabsOf('{"message":"Hi"}'), ANN)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('reads the waiting bodies with another thread when one dies', async () => {
    const thread = open();
    jest.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
      void this.terminate();
    });
    const first = thread.read(chatReader, slabsOf('{"message":"Hi"}'), ANN);
    const second = thread.read(chatReader, slabsOf('{"message":"Ho"}'), ANN);
    await expect(first).rejects.toMatchObject({ code: 'content_too_long' });
    await expect(second).resolves.toMatchObject({ request: { message: 'Ho' } });
    // Sooner than what happens by itself when a job takes too long.
  }, 15_000);

  it('skips a client that has left before or while it waited', async () => {
    const thread = open();
    const first = thread.read(chatReader, slabsOf('{"message":"Hi"}'), ANN);
    const slabs = slabsOf('{"message":"Ho"}');
    const left = new AbortController();
    const leaving = thread.read(chatReader, slabs, { ...ANN, left: left.signal });
    left.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'unavailable' });
    await expect(thread.read(chatReader, slabs, { ...ANN, left: left.signal })).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(first).resolves.toBeDefined();
    expect(slabs[0]!.byteLength).toBeGreaterThan(0);
  });

  it('serves users in turn, regardless of how many bodies one of them has', async () => {
    const thread = open();
    const order: string[] = [];
    const read = (userId: string, message: string) =>
      thread
        .read(chatReader, slabsOf(JSON.stringify({ message })), { userId })
        .then(({ request }) => order.push(request.message));
    await Promise.all([
      ...['ann 1', 'ann 2', 'ann 3', 'ann 4'].map((message) => read('ann', message)),
      ...['bob 1', 'bob 2'].map((message) => read('bob', message)),
    ]);
    expect(order).toEqual(['ann 1', 'ann 2', 'bob 1', 'ann 3', 'bob 2', 'ann 4']);
  });

  it('refuses its current and waiting bodies as unavailable when it is closed', async () => {
    const thread = open();
    const reads = ['Hi', 'Ho'].map((message) =>
      thread.read(chatReader, slabsOf(JSON.stringify({ message })), ANN),
    );
    const ended = Promise.allSettled(reads);
    await thread.close();
    const unavailable = { status: 'rejected', reason: expect.objectContaining({ code: 'unavailable' }) };
    expect(await ended).toEqual([unavailable, unavailable]);
  });
});
