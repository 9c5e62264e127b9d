import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ReadingThread } from './reading-thread.js';

const quiet = { error: () => undefined, warn: () => undefined } as never;
const threads: ReadingThread[] = [];
const open = () => {
  const thread = new ReadingThread(quiet);
  threads.push(thread);
  return thread;
};
const slabsOf = (text: string) => [new Uint8Array(Buffer.from(text))];

afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close();
});

describe('ReadingThread', () => {
  it('reads bodies one after the other, and gives their memory to the thread', async () => {
    const thread = open();
    const slabs = slabsOf('{"message":"Hi","pinnedArtifacts":[{"type":"text/plain","content":"x"}]}');
    const read = await Promise.all([
      thread.read('chat', slabs),
      thread.read('chat', slabsOf('{"message":"Ho"}')),
    ]);
    expect(read.map(({ request }) => request.message)).toEqual(['Hi', 'Ho']);
    expect(read[0].context).toContain('<pinned_artifact');
    expect(slabs[0]!.byteLength).toBe(0);
  });

  it('rejects with what the reader says to the client, and goes on', async () => {
    const thread = open();
    await expect(thread.read('chat', slabsOf('{}'))).rejects.toMatchObject({ code: 'invalid' });
    await expect(thread.read('chat', slabsOf('{'))).rejects.toMatchObject({
      name: 'NoJsonError',
      status: 400,
    });
    await expect(thread.read('completion', slabsOf('{"model":"m"}'))).rejects.toMatchObject({
      name: 'OpenAiRefusal',
      param: 'messages',
    });
    await expect(thread.read('chat', slabsOf('{"message":"Hi"}'))).resolves.toMatchObject({ written: [] });
  });

  it('starts again after it has ended, and reads nothing more once it is closed', async () => {
    const thread = open();
    await thread.read('chat', slabsOf('{"message":"Hi"}'));
    await thread.close();
    await expect(thread.read('chat', slabsOf('{"message":"Hi"}'))).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('reads with another thread what waits when one dies', async () => {
    const thread = open();
    jest.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
      void this.terminate();
    });
    const first = thread.read('chat', slabsOf('{"message":"Hi"}'));
    const second = thread.read('chat', slabsOf('{"message":"Ho"}'));
    await expect(first).rejects.toMatchObject({ code: 'content_too_long' });
    await expect(second).resolves.toMatchObject({ request: { message: 'Ho' } });
    // Sooner than what happens by itself when a job takes too long.
  }, 15_000);

  it('does not read for a client that has left', async () => {
    const thread = open();
    const first = thread.read('chat', slabsOf('{"message":"Hi"}'));
    const left = thread.read('chat', slabsOf('{"message":"Ho"}'), () => false);
    await expect(left).rejects.toThrow();
    await expect(first).resolves.toBeDefined();
  });
});
