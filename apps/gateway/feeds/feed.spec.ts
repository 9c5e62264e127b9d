import { describe, expect, it } from '@jest/globals';
import type { TurnView } from '#contracts';
import { emptyView } from '#turn';
import { ID, completed, fields, running, setUp, token } from './testing/test-feed.js';

describe('Feed', () => {
  it('sends a snapshot first and then the events that arrived during the read', async () => {
    const { feed, reads, join } = setUp();
    const viewer = join();
    feed.receive(token('a', 0));
    feed.receive(token('b', 1));
    expect(viewer.told).toEqual([]);
    await reads[0]!.answer(running('a'));
    expect(viewer.types).toEqual(['snapshot', 'token']);
    expect(viewer.told[1]).toMatchObject({ content: 'b', offset: 1 });
  });

  it('sends each viewer every change once and drops known ones', async () => {
    const { feed, reads, join } = setUp();
    const viewer = join();
    await reads[0]!.answer(running(''));
    for (const event of [token('ab', 0), token('ab', 0), token('bc', 1)]) feed.receive(event);
    expect(viewer.told.slice(1)).toMatchObject([{ content: 'ab' }, { content: 'c', offset: 2 }]);
  });

  it('sends a new viewer an ended turn of which it saw nothing, although it saw a later one', async () => {
    const { feed, reads, join, pass } = setUp();
    const viewer = join();
    await reads[0]!.answer(emptyView(ID));
    feed.remove(viewer);
    const later = { turn_id: 'turn_2', number: 2, content: 'q', by: 'ann', client_message_id: 'n' };
    feed.receive({ type: 'turn_queued', ...fields, ...later });
    await pass(60_000);
    const newcomer = join();
    const [first] = completed('a').turns;
    const queued: TurnView = { ...later, status: 'queued', at: fields.timestamp, steps: [] };
    await reads[1]!.answer({ ...emptyView(ID), turns: [first!, queued] });
    expect(newcomer.told).toMatchObject([{ view: { turns: [{ number: 1 }, { number: 2 }] } }]);
  });

  it('shares one read among all joining viewers, and reads nothing while the last read is fresh', async () => {
    const { reads, join } = setUp();
    const viewers = [join(), join(), join()];
    expect(reads).toHaveLength(1);
    await reads[0]!.answer(running('a'));
    for (const viewer of [...viewers, join()]) expect(viewer.types).toEqual(['snapshot']);
    expect(reads).toHaveLength(1);
  });

  it('reads again for a viewer that joins later, without disturbing up-to-date viewers', async () => {
    const { feed, reads, join, pass } = setUp();
    const early = join();
    await reads[0]!.answer(running('a'));
    await pass(2_000);
    const late = join();
    feed.receive(token('b', 1));
    expect(early.types).toEqual(['snapshot', 'token']);
    await reads[1]!.answer(running('a'));
    expect(early.types).toEqual(['snapshot', 'token']);
    expect(late.told).toMatchObject([{ type: 'snapshot', view: { turns: [{ steps: [{ text: 'ab' }] }] } }]);
    feed.receive(token('c', 2));
    expect([early.types.at(-1), late.types.at(-1)]).toEqual(['token', 'token']);
  });

  it('repairs all viewers when a read shows something that no viewer was sent', async () => {
    const { reads, join, pass } = setUp();
    const early = join();
    await reads[0]!.answer(running('a'));
    await pass(2_000);
    const late = join();
    await reads[1]!.answer(completed('abc'));
    expect(early.types).toEqual(['snapshot', 'snapshot', 'complete']);
    expect(late.types).toEqual(['snapshot']);
  });

  it('repairs a gap by one read, regardless of the events behind it, at most once a second', async () => {
    const { feed, reads, join, pass } = setUp();
    const viewer = join();
    await reads[0]!.answer(running('a'));
    for (let i = 0; i < 20; i++) feed.receive(token('x', 10 + i));
    expect(reads).toHaveLength(1);
    await pass(1_000);
    expect(reads).toHaveLength(2);
    feed.receive(token('y', 30));
    await reads[1]!.answer(running('a'.repeat(30)));
    expect(viewer.types).toEqual(['snapshot', 'snapshot']);
    expect(viewer.told[1]).toMatchObject({ view: { turns: [{ steps: [{ text: `${'a'.repeat(30)}y` }] }] } });
    await pass(3_000);
    expect(reads).toHaveLength(2);
  });

  it('does not read for events that were lost before its last read', async () => {
    const { clock, feed, reads, join, pass } = setUp();
    join();
    await reads[0]!.answer(running('Hel'));
    const readAt = clock.now();
    await pass(2_000);
    feed.requestReread(readAt);
    expect(reads).toHaveLength(1);
    feed.requestReread(readAt + 1_000);
    expect(reads).toHaveLength(2);
  });

  it('reads again when a read did not include events that arrived meanwhile', async () => {
    const { feed, reads, join, pass } = setUp();
    join();
    await reads[0]!.answer(running('a'));
    feed.receive(token('x', 10));
    await pass(1_000);
    feed.receive(token('y', 20));
    await reads[1]!.answer(running('a'));
    await pass(1_000);
    expect(reads).toHaveLength(3);
  });

  it('passes the text that viewers have seen to the read, so that it is not taken back', async () => {
    const { feed, reads, join, pass } = setUp();
    join();
    await reads[0]!.answer(running('a'));
    feed.receive(token('b', 1));
    feed.receive(token('z', 9));
    await pass(1_000);
    expect(reads[1]!.shown?.turns[0]?.steps[0]?.text).toBe('ab');
  });

  it('reads the store when an unfinished turn goes quiet, less often while nothing is new', async () => {
    const { feed, reads, join, pass } = setUp();
    const viewer = join();
    await reads[0]!.answer(running('a'));
    const watchFor = async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds; i++) {
        await pass(1_000);
        feed.watch();
      }
    };
    await watchFor(4);
    expect(reads).toHaveLength(1);
    await watchFor(3);
    expect(reads).toHaveLength(2);
    await reads[1]!.answer(running('a'));
    await watchFor(6);
    expect(reads).toHaveLength(2);
    await watchFor(7);
    expect(reads).toHaveLength(3);
    await reads[2]!.answer(completed('abc'));
    expect(viewer.types).toEqual(['snapshot', 'snapshot', 'complete']);
    await watchFor(60);
    expect(reads).toHaveLength(3);
  });

  it('retries when the store does not answer', async () => {
    const { reads, join, pass } = setUp();
    const viewer = join();
    await reads[0]!.fail();
    await pass(1_000);
    await reads[1]!.answer(running('a'));
    expect(viewer.types).toEqual(['snapshot']);
  });

  it('does not grow with the number of past turns', async () => {
    const { feed, reads, join } = setUp();
    join();
    await reads[0]!.answer(emptyView(ID));
    for (let number = 1; number <= 200; number++) {
      const turn = { ...fields, turn_id: `turn_${number}` };
      feed.receive({
        type: 'turn_queued',
        ...turn,
        number,
        content: 'q',
        by: 'ann',
        client_message_id: `m${number}`,
      });
      feed.receive({ type: 'cancelled', ...turn, message: 'Stopped.' });
    }
    const late = join();
    const [snapshot] = late.told;
    if (snapshot?.type !== 'snapshot') throw new Error('no snapshot');
    expect(snapshot.view.turns.map((turn) => turn.number)).toEqual(
      Array.from({ length: 20 }, (_, i) => 181 + i),
    );
    expect(snapshot.view.earlier).toBe(true);
  });
});
