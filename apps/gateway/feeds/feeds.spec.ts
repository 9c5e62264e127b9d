import { beforeEach, describe, expect, it } from '@jest/globals';
import type { View } from '#contracts';
import { SeededRandom, VirtualClock } from '#time/testing';
import { emptyView } from '#turn';
import { DEFAULT_FEED_TIMINGS, type FeedTimings } from './feed-timings.js';
import { Feeds } from './feeds.js';
import type { Room, ServerEvent, Viewer } from './viewer.js';

const ID = 'conv_1';

let clock: VirtualClock;
let reads: number;
let unfollowed: number;
let bind: () => void;
let feeds: Feeds;
let told: ServerEvent[];
let viewer: Viewer;

beforeEach(() => open(DEFAULT_FEED_TIMINGS));

function open(timings: FeedTimings): void {
  const random = new SeededRandom(1);
  clock = new VirtualClock(random);
  reads = 0;
  unfollowed = 0;
  told = [];
  const bound = new Promise<void>((resolve) => (bind = resolve));
  const bus = { follow: () => bound, unfollow: () => void unfollowed++, onEvent: () => undefined };
  const room: Room = {
    enter: () => undefined,
    leave: () => undefined,
    broadcast: (event) => viewer.send(event),
  };
  const readView = async (): Promise<View> => {
    reads++;
    return emptyView(ID);
  };
  viewer = {
    send: (event) => void told.push(event),
    isBehind: () => false,
    onceDrained: () => undefined,
    budget: { length: 0 },
  };
  feeds = new Feeds(bus, () => room, {
    readView,
    timings,
    counters: { relayed: () => undefined, dropped: () => undefined, snapshots: () => undefined },
    log: { warn: () => undefined } as never,
    clock,
    random,
  });
}

describe('a viewer that joins a conversation', () => {
  it('gets its snapshot only once its events are bound, because events in between would be lost', async () => {
    const joining = feeds.join(ID, viewer);
    await clock.advance(DEFAULT_FEED_TIMINGS.followMs - 1);
    expect([reads, told]).toEqual([0, []]);
    bind();
    await clock.advance(0);
    await joining;
    expect(reads).toBe(1);
    expect(told.map(({ type }) => type)).toEqual(['snapshot']);
  });

  it('does not wait long while the broker is away; the store is read again when its events arrive', async () => {
    const joining = feeds.join(ID, viewer);
    await clock.advance(DEFAULT_FEED_TIMINGS.followMs);
    await joining;
    expect(reads).toBe(1);
    await clock.advance(5_000);
    expect(reads).toBe(1);
    bind();
    await clock.advance(DEFAULT_FEED_TIMINGS.rereadMs);
    expect(reads).toBe(2);
  });

  it('keeps the feed for which it waits, even when feeds without viewers are closed soon', async () => {
    open({ ...DEFAULT_FEED_TIMINGS, lingerMs: 10 });
    void feeds.open(ID);
    await clock.advance(DEFAULT_FEED_TIMINGS.followMs - 5);
    const joining = feeds.join(ID, viewer);
    await clock.advance(DEFAULT_FEED_TIMINGS.followMs - 5);
    expect(unfollowed).toBe(0);
    bind();
    await clock.advance(0);
    await joining;
    expect(feeds.viewers).toBe(1);
    feeds.leave(ID, viewer);
    await clock.advance(10);
    expect([unfollowed, feeds.size]).toEqual([1, 0]);
  });
});
