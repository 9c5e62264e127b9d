import type { ConversationEvent } from '#contracts';
import type { Bus } from '#messaging';
import { settledWithin, type Timer } from '#time';
import { Feed, type FeedDeps } from './feed.js';
import type { OpenRoom, Viewer } from './viewer.js';

const WATCH_INTERVAL_MS = 1_000;

interface Entry {
  feed: Feed;
  following: Promise<void>;
  lingering: Timer | undefined;
  /** Callers that wait for it: it must not be closed meanwhile. */
  opening: number;
}

/** The conversations that this process follows, each only once, however many viewers it has. */
export class Feeds {
  private readonly entries = new Map<string, Entry>();
  private watch: Timer | undefined;

  constructor(
    private readonly bus: Pick<Bus, 'follow' | 'unfollow' | 'onEvent'>,
    private readonly openRoom: OpenRoom,
    private readonly deps: FeedDeps,
  ) {}

  /** Conversations that are followed. */
  get size(): number {
    return this.entries.size;
  }

  /** Viewers of all conversations. A viewer of several conversations counts once in each. */
  get viewers(): number {
    return this.sum((feed) => feed.viewers);
  }

  /** Viewers that read more slowly than events come. */
  get slowViewers(): number {
    return this.sum((feed) => feed.slowViewers);
  }

  private sum(countOf: (feed: Feed) => number): number {
    let count = 0;
    for (const { feed } of this.entries.values()) count += countOf(feed);
    return count;
  }

  start(): void {
    this.bus.onEvent({
      event: (event) => this.receive(event),
      gap: () => {
        for (const { feed } of this.entries.values()) this.rereadSoon(feed);
      },
    });
    const watch = () => {
      for (const { feed } of this.entries.values()) feed.watch();
    };
    this.watch = this.deps.clock.every(WATCH_INTERVAL_MS, watch, { unref: true });
  }

  stop(): void {
    this.watch?.cancel();
    for (const id of [...this.entries.keys()]) this.close(id);
  }

  /**
   * The feed of a conversation, once its events are bound. If the broker does not answer within `followMs`, the caller
   * stops waiting for it; the store is read again when the events finally arrive.
   */
  async open(conversationId: string): Promise<Feed> {
    const entry = this.entries.get(conversationId) ?? this.create(conversationId);
    entry.opening++;
    const { following, feed } = entry;
    const isBound = await settledWithin(this.deps.clock, following, this.deps.timings.followMs);
    if (!isBound)
      void following.then(
        () => feed.requestReread(),
        () => undefined,
      );
    entry.opening--;
    this.linger(conversationId, entry);
    return feed;
  }

  /** The viewer follows the conversation until it leaves. */
  async join(conversationId: string, viewer: Viewer): Promise<void> {
    (await this.open(conversationId)).add(viewer);
  }

  /** The feed if the conversation is followed. */
  find(conversationId: string): Feed | undefined {
    return this.entries.get(conversationId)?.feed;
  }

  /** The conversation stays bound for a while: a viewer that lost its connection comes back. */
  leave(conversationId: string, viewer: Viewer): void {
    const entry = this.entries.get(conversationId);
    if (!entry) return;
    entry.feed.remove(viewer);
    if (!entry.feed.hasViewers) this.linger(conversationId, entry);
  }

  /** Spread over a short time: a reconnect affects every conversation, and there is only one store. */
  private rereadSoon(feed: Feed): void {
    const { clock, random, timings } = this.deps;
    const lostBefore = clock.now();
    clock.after(random.float() * timings.rereadMs, () => feed.requestReread(lostBefore), { unref: true });
  }

  private receive(event: ConversationEvent): void {
    try {
      this.entries.get(event.conversation_id)?.feed.receive(event);
    } catch (error) {
      this.deps.log.warn({ err: error, type: event.type }, 'relaying an event failed');
    }
  }

  private create(conversationId: string): Entry {
    const feed = new Feed(conversationId, this.openRoom(conversationId), this.deps);
    const entry: Entry = {
      feed,
      following: this.bus.follow(conversationId),
      lingering: undefined,
      opening: 0,
    };
    entry.following.catch((error: unknown) => {
      this.deps.log.warn({ err: error, conversation_id: conversationId }, 'binding events failed');
    });
    this.entries.set(conversationId, entry);
    return entry;
  }

  private linger(conversationId: string, entry: Entry): void {
    entry.lingering?.cancel();
    const leave = () => {
      if (!entry.feed.hasViewers && entry.opening === 0) this.close(conversationId);
    };
    entry.lingering = this.deps.clock.after(this.deps.timings.lingerMs, leave, { unref: true });
  }

  private close(conversationId: string): void {
    const entry = this.entries.get(conversationId);
    if (!entry) return;
    entry.lingering?.cancel();
    entry.feed.close();
    this.entries.delete(conversationId);
    this.bus.unfollow(conversationId);
  }
}
