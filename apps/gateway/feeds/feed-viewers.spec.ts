import { describe, expect, it } from '@jest/globals';
import { fields, running, setUp, token } from './testing/test-feed.js';

describe('a feed and its viewers', () => {
  it('keeps a separate backlog for a slow viewer, and merges what waits', async () => {
    const { feed, reads, join } = setUp();
    const [slow, quick] = [join(), join()];
    await reads[0]!.answer(running(''));
    slow.behind = true;
    for (const [at, letter] of [...'abc'].entries()) feed.receive(token(letter, at));
    expect([slow.types, quick.types]).toEqual([['snapshot'], ['snapshot', 'token', 'token', 'token']]);
    slow.drain();
    feed.receive(token('d', 3));
    expect(slow.told.slice(1)).toMatchObject([
      { content: 'abc', offset: 0 },
      { content: 'd', offset: 3 },
    ]);
  });

  it('gives a viewer that fell far behind a snapshot and the ends that it missed', async () => {
    const { feed, reads, join } = setUp();
    const slow = join();
    await reads[0]!.answer(running(''));
    slow.behind = true;
    const text = 'x'.repeat(300_000);
    feed.receive(token(text, 0));
    const committed = { step: 1, attempt: 100, text_length: text.length, calls: [] };
    feed.receive({ type: 'step_committed', ...fields, ...committed });
    const usage = { input_tokens: 1, output_tokens: 1, cached_tokens: 0 };
    feed.receive({ type: 'complete', ...fields, message_id: 'turn_1:1', content: text, usage });
    expect(slow.types).toEqual(['snapshot']);
    slow.drain();
    expect(slow.types).toEqual(['snapshot', 'snapshot', 'complete']);
  });

  it('reports once that the conversation was deleted, and reads no more', async () => {
    const { feed, reads, join, pass } = setUp();
    const ann = join();
    await reads[0]!.answer(running('Hello'));
    const deleted = { type: 'cancelled', ...fields, message: 'Gone.', deleted: true } as const;
    feed.receive(deleted);
    feed.receive({ ...deleted, turn_id: 'turn_of_which_nobody_was_told' });
    feed.requestReread();
    await pass(60_000);
    expect(ann.told.slice(1)).toEqual([deleted]);
    expect(reads).toHaveLength(1);
  });

  it('reports the deletion to a viewer that joined too late to see anything', async () => {
    const { feed, reads, join } = setUp();
    const ann = join();
    const deleted = { type: 'cancelled', ...fields, message: 'Gone.', deleted: true } as const;
    feed.receive(deleted);
    await reads[0]!.answer(null);
    expect([ann.told, join().told]).toEqual([[deleted], [deleted]]);
  });

  it('detects the deletion of the conversation when the event for it was lost', async () => {
    const { feed, reads, join, pass } = setUp();
    const ann = join();
    await reads[0]!.answer(running('Hello'));
    await pass(1_000);
    feed.requestReread();
    await reads[1]!.answer(null);
    expect(ann.told.slice(1)).toEqual([
      expect.objectContaining({ type: 'cancelled', turn_id: 'turn_1', deleted: true }),
    ]);
  });
});
