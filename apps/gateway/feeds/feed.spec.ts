import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ConversationEvent, StepView, TurnView, View } from '#contracts';
import { emptyView } from '#turn';
import { DEFAULT_FEED_TIMINGS } from './feed-timings.js';
import { Feed } from './feed.js';
import type { Room, ServerEvent, Viewer } from './viewer.js';

const ID = 'conv_1';
const fields = { conversation_id: ID, turn_id: 'turn_1', timestamp: '2026-01-01T00:00:00.000Z' };

class TestViewer implements Viewer {
  readonly told: ServerEvent[] = [];
  readonly budget = { length: 0 };
  behind = false;
  private drained: (() => void)[] = [];

  send(event: ServerEvent): void {
    this.told.push(event);
  }
  isBehind(): boolean {
    return this.behind;
  }
  onceDrained(listener: () => void): void {
    this.drained.push(listener);
  }
  drain(): void {
    this.behind = false;
    for (const listener of this.drained.splice(0)) listener();
  }
  get types(): string[] {
    return this.told.map((event) => event.type);
  }
}

/** A store that answers when the test says so. */
function setUp() {
  const members = new Set<TestViewer>();
  const room: Room = {
    enter: (viewer) => void members.add(viewer as TestViewer),
    leave: (viewer) => void members.delete(viewer as TestViewer),
    broadcast: (event) => {
      for (const member of members) member.send(event);
    },
  };
  const reads: {
    answer(view: View | null): Promise<void>;
    fail(): Promise<void>;
    shown: View | undefined;
  }[] = [];
  const feed = new Feed(ID, room, {
    readView: (_id, shown) =>
      new Promise((resolve, reject) => {
        const flush = () => jest.advanceTimersByTimeAsync(0).then(() => undefined);
        reads.push({
          shown,
          answer: (view) => (resolve(view), flush()),
          fail: () => (reject(new Error('down')), flush()),
        });
      }),
    timings: DEFAULT_FEED_TIMINGS,
    counters: { relayed: () => undefined, dropped: () => undefined },
    log: { warn: () => undefined } as never,
    now: () => performance.now(),
  });
  const join = (): TestViewer => {
    const viewer = new TestViewer();
    feed.add(viewer);
    return viewer;
  };
  return { feed, reads, join };
}

function running(text: string, more: Partial<StepView> = {}, turn: Partial<TurnView> = {}): View {
  const step = { n: 1, attempt: 100, text, calls: [], ...more };
  const { turn_id, timestamp: at } = fields;
  const shown = {
    turn_id,
    number: 1,
    content: 'q',
    by: 'ann',
    client_message_id: 'm',
    status: 'running' as const,
    at,
  };
  return { ...emptyView(ID), turns: [{ ...shown, steps: [step], ...turn }] };
}
const token = (content: string, offset: number): ConversationEvent => ({
  type: 'token',
  ...fields,
  step: 1,
  attempt: 100,
  content,
  offset,
});
const completed = (text: string): View =>
  running(
    text,
    { committed: true },
    { status: 'completed', ended_at: fields.timestamp, message_id: 'turn_1:1', usage: undefined },
  );

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('Feed', () => {
  it('gives a snapshot first and then what came while the store was read', async () => {
    const { feed, reads, join } = setUp();
    const viewer = join();
    feed.receive(token('a', 0));
    feed.receive(token('b', 1));
    expect(viewer.told).toEqual([]);
    await reads[0]!.answer(running('a'));
    expect(viewer.types).toEqual(['snapshot', 'token']);
    expect(viewer.told[1]).toMatchObject({ content: 'b', offset: 1 });
  });

  it('tells each viewer every change once and drops what is known', async () => {
    const { feed, reads, join } = setUp();
    const viewer = join();
    await reads[0]!.answer(running(''));
    for (const event of [token('ab', 0), token('ab', 0), token('bc', 1)]) feed.receive(event);
    expect(viewer.told.slice(1)).toMatchObject([{ content: 'ab' }, { content: 'c', offset: 2 }]);
  });

  it('gives a newcomer an ended turn of which it was told nothing, although it was told of a later one', async () => {
    const { feed, reads, join } = setUp();
    const viewer = join();
    await reads[0]!.answer(emptyView(ID));
    feed.remove(viewer);
    const later = { turn_id: 'turn_2', number: 2, content: 'q', by: 'ann', client_message_id: 'n' };
    feed.receive({ type: 'turn_queued', ...fields, ...later });
    jest.advanceTimersByTime(60_000);
    const newcomer = join();
    const [first] = completed('a').turns;
    const queued: TurnView = { ...later, status: 'queued', at: fields.timestamp, steps: [] };
    await reads[1]!.answer({ ...emptyView(ID), turns: [first!, queued] });
    expect(newcomer.told).toMatchObject([{ view: { turns: [{ number: 1 }, { number: 2 }] } }]);
  });

  it('shares one read among all who join, and needs none while it is fresh', async () => {
    const { reads, join } = setUp();
    const viewers = [join(), join(), join()];
    expect(reads).toHaveLength(1);
    await reads[0]!.answer(running('a'));
    for (const viewer of [...viewers, join()]) expect(viewer.types).toEqual(['snapshot']);
    expect(reads).toHaveLength(1);
  });

  it('reads again for who joins later, without disturbing those who know everything', async () => {
    const { feed, reads, join } = setUp();
    const early = join();
    await reads[0]!.answer(running('a'));
    await jest.advanceTimersByTimeAsync(2_000);
    const late = join();
    feed.receive(token('b', 1));
    expect(early.types).toEqual(['snapshot', 'token']);
    await reads[1]!.answer(running('a'));
    expect(early.types).toEqual(['snapshot', 'token']);
    expect(late.told).toMatchObject([{ type: 'snapshot', view: { turns: [{ steps: [{ text: 'ab' }] }] } }]);
    feed.receive(token('c', 2));
    expect([early.types.at(-1), late.types.at(-1)]).toEqual(['token', 'token']);
  });

  it('repairs everybody when a read shows what nobody was told', async () => {
    const { reads, join } = setUp();
    const early = join();
    await reads[0]!.answer(running('a'));
    await jest.advanceTimersByTimeAsync(2_000);
    const late = join();
    await reads[1]!.answer(completed('abc'));
    expect(early.types).toEqual(['snapshot', 'snapshot', 'complete']);
    expect(late.types).toEqual(['snapshot']);
  });

  it('repairs a hole by reading, once however many events fall behind it, at most once a second', async () => {
    const { feed, reads, join } = setUp();
    const viewer = join();
    await reads[0]!.answer(running('a'));
    for (let i = 0; i < 20; i++) feed.receive(token('x', 10 + i));
    expect(reads).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(reads).toHaveLength(2);
    feed.receive(token('y', 30));
    await reads[1]!.answer(running('a'.repeat(30)));
    expect(viewer.types).toEqual(['snapshot', 'snapshot']);
    expect(viewer.told[1]).toMatchObject({ view: { turns: [{ steps: [{ text: `${'a'.repeat(30)}y` }] }] } });
    await jest.advanceTimersByTimeAsync(3_000);
    expect(reads).toHaveLength(2);
  });

  it('reads once more when the read did not reach what came meanwhile', async () => {
    const { feed, reads, join } = setUp();
    join();
    await reads[0]!.answer(running('a'));
    feed.receive(token('x', 10));
    await jest.advanceTimersByTimeAsync(1_000);
    feed.receive(token('y', 20));
    await reads[1]!.answer(running('a'));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(reads).toHaveLength(3);
  });

  it('hands what viewers have been shown to the read, so that it is not taken back', async () => {
    const { feed, reads, join } = setUp();
    join();
    await reads[0]!.answer(running('a'));
    feed.receive(token('b', 1));
    feed.receive(token('z', 9));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(reads[1]!.shown?.turns[0]?.steps[0]?.text).toBe('ab');
  });

  it('looks into the store when an unfinished turn goes quiet, less often while nothing is new', async () => {
    const { feed, reads, join } = setUp();
    const viewer = join();
    await reads[0]!.answer(running('a'));
    const watchFor = async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds; i++) {
        await jest.advanceTimersByTimeAsync(1_000);
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

  it('tries again when the store does not answer', async () => {
    const { reads, join } = setUp();
    const viewer = join();
    await reads[0]!.fail();
    await jest.advanceTimersByTimeAsync(1_000);
    await reads[1]!.answer(running('a'));
    expect(viewer.types).toEqual(['snapshot']);
  });

  it('feeds a viewer that does not keep up apart, and merges what waits', async () => {
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

  it('tells once that the conversation was deleted, and reads no more', async () => {
    const { feed, reads, join } = setUp();
    const ann = join();
    await reads[0]!.answer(running('Hello'));
    const deleted = { type: 'cancelled', ...fields, message: 'Gone.', deleted: true } as const;
    feed.receive(deleted);
    feed.receive({ ...deleted, turn_id: 'turn_of_which_nobody_was_told' });
    feed.doubt();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(ann.told.slice(1)).toEqual([deleted]);
    expect(reads).toHaveLength(1);
  });

  it('finds out by itself that the conversation was deleted, when the word of it was lost', async () => {
    const { feed, reads, join } = setUp();
    const ann = join();
    await reads[0]!.answer(running('Hello'));
    await jest.advanceTimersByTimeAsync(1_000);
    feed.doubt();
    await reads[1]!.answer(null);
    expect(ann.told.slice(1)).toEqual([
      expect.objectContaining({ type: 'cancelled', turn_id: 'turn_1', deleted: true }),
    ]);
  });

  it('does not grow with the turns that go by', async () => {
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
