import type { ConversationEvent, EventOf, TurnView, View } from '#contracts';
import type { Logger } from '#observability';
import { timestampOf, type Time, type Timer } from '#time';
import { emptyView, hasEnded, isEnded, reduceEvent } from '#turn';
import { Audience, type AudienceCounters } from './audience.js';
import { isBehind } from './compare-views.js';
import type { FeedTimings } from './feed-timings.js';
import { MissingAnswers } from './missing-answers.js';
import type { ReadView } from './read-view.js';
import { trimmed } from './snapshot.js';
import type { Room, Viewer } from './viewer.js';

/** Events kept while the store is read. If there are more, the store is read again instead. */
const MAX_BUFFERED = 10_000;
/** Used instead of a turn id when nothing of the conversation was seen before it was deleted. */
const NO_TURN = 'none';

export interface FeedDeps extends Time {
  readView: ReadView;
  timings: FeedTimings;
  counters: AudienceCounters;
  log: Pick<Logger, 'warn'>;
}

/**
 * One conversation as this process follows it. Its view changes only by events that its viewers receive, so a holder
 * of the view misses nothing. Events go through `reduceEvent`; a snapshot adds what only the store knows.
 */
export class Feed {
  private view: View | undefined;
  private readonly audience: Audience;
  private readonly missing = new MissingAnswers();
  /** Viewers that get their first snapshot from the next read. */
  private readonly joining = new Set<Viewer>();
  private reading: { buffered: ConversationEvent[] } | undefined;
  private isReadDue = false;
  private timer: Timer | undefined;
  private lastReadAt = -Infinity;
  private lastEventAt: number;
  private quietMs: number;
  private isClosed = false;
  /** The event that all viewers receive once the conversation has been deleted. */
  private deletion: EventOf<'cancelled'> | undefined;

  constructor(
    private readonly conversationId: string,
    room: Room,
    private readonly deps: FeedDeps,
  ) {
    this.lastEventAt = deps.clock.now();
    this.quietMs = this.jitter(deps.timings.quietMs);
    const currentView = () => this.view ?? emptyView(conversationId);
    this.audience = new Audience(room, deps.counters, currentView, deps.clock);
  }

  get viewers(): number {
    return this.audience.size + this.joining.size;
  }

  get slowViewers(): number {
    return this.audience.slow;
  }

  get hasViewers(): boolean {
    return this.viewers > 0;
  }

  has(viewer: Viewer): boolean {
    return this.audience.has(viewer) || this.joining.has(viewer);
  }

  /** The viewer gets a snapshot, at once if the view is fresh, and then everything that follows. */
  add(viewer: Viewer): void {
    if (this.deletion) return viewer.send(this.deletion);
    if (this.view && this.isFresh()) return this.audience.welcome(viewer);
    this.joining.add(viewer);
    // A running read is enough: the events were bound before it began.
    if (!this.reading) this.requestRead();
  }

  remove(viewer: Viewer): void {
    this.joining.delete(viewer);
    this.audience.remove(viewer);
  }

  /** Begins to read, so that a viewer who is added soon finds a fresh view. */
  warm(): void {
    if (!this.reading && !(this.view && this.isFresh())) this.requestRead();
  }

  /** For a conversation that did not exist until now. */
  startEmpty(title: string): void {
    if (this.view) return;
    this.view = { ...emptyView(this.conversationId), title };
    this.lastReadAt = this.deps.clock.now();
  }

  receive(event: ConversationEvent): void {
    this.lastEventAt = this.deps.clock.now();
    this.quietMs = this.deps.timings.quietMs;
    if (event.type === 'cancelled' && event.deleted) return this.relayDeletion(event);
    this.buffer(event);
    if (this.view) this.relay(event);
  }

  /** Events may have been lost, all of them before `lostBefore` (by `clock.now`): a later read is enough. */
  requestReread(lostBefore = Infinity): void {
    if (!this.hasViewers || this.lastReadAt >= lostBefore) return;
    if (this.reading) this.isReadDue = true;
    else this.requestRead();
  }

  /** Called periodically: silence is the only sign that a last event was lost. */
  watch(): void {
    if (!this.hasViewers || !this.view) return;
    if (this.view.turns.every(isOver) && !this.missing.areThere) return;
    const now = this.deps.clock.now();
    if (now - Math.max(this.lastEventAt, this.lastReadAt) < this.quietMs) return;
    this.quietMs = Math.min(this.jitter(2 * this.quietMs), this.deps.timings.longestQuietMs);
    this.requestReread();
  }

  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  private relay(event: ConversationEvent): void {
    const before = this.view!;
    const reduced = reduceEvent(before, event);
    if (reduced.verdict === 'applied' || reduced.verdict === 'passing') {
      this.view = trimmed(reduced.view);
      this.missing.note(before, reduced.event, this.view);
      this.audience.relay(reduced.event, before);
      if (event.type === 'turn_queued' && event.number > (before.turns.at(-1)?.number ?? 0) + 1)
        this.requestReread();
    }
    // After a gap the view stays as viewers received it. The running read evaluates the event again.
    if (reduced.verdict === 'gap' && !this.reading) this.requestReread();
  }

  private buffer(event: ConversationEvent): void {
    if (!this.reading) return;
    if (this.reading.buffered.length < MAX_BUFFERED) return void this.reading.buffered.push(event);
    this.isReadDue = true;
  }

  private isFresh(): boolean {
    const isUnderWay = this.reading !== undefined || this.timer !== undefined;
    return !isUnderWay && this.deps.clock.now() - this.lastReadAt < this.deps.timings.rereadMs;
  }

  /** One read at a time, and not more often than every `rereadMs`, however often callers ask. */
  private requestRead(): void {
    if (this.isClosed || this.deletion || this.timer) return;
    const waitMs = this.lastReadAt + this.deps.timings.rereadMs - this.deps.clock.now();
    if (waitMs <= 0) return void this.read();
    this.timer = this.deps.clock.after(waitMs, () => {
      this.timer = undefined;
      void this.read();
    });
  }

  private async read(): Promise<void> {
    const reading = { buffered: [] as ConversationEvent[] };
    this.reading = reading;
    this.isReadDue = false;
    this.lastReadAt = this.deps.clock.now();
    try {
      const view = await this.deps.readView(this.conversationId, this.view);
      this.reading = undefined;
      if (view && !this.isClosed) this.accept(view, reading.buffered);
      if (!view) this.findDeleted();
    } catch (error) {
      this.reading = undefined;
      this.isReadDue = true;
      this.deps.log.warn(
        { err: error, conversation_id: this.conversationId },
        'reading a conversation failed',
      );
    }
    if (this.isReadDue) this.requestReread();
  }

  /** Sent once, in whatever state the turn that it names is: there is nothing more to show. */
  private relayDeletion(event: EventOf<'cancelled'>): void {
    if (this.deletion) return;
    this.deletion = event;
    if (this.view) this.audience.relay(event, this.view);
    for (const viewer of this.joining) viewer.send(event);
    this.joining.clear();
  }

  /** The event about the deletion was lost, and the store no longer has the conversation. */
  private findDeleted(): void {
    const { turn_id = NO_TURN } = this.view?.turns.at(-1) ?? {};
    const { conversationId: conversation_id } = this;
    const fields = { conversation_id, turn_id, timestamp: timestampOf(this.deps.clock) };
    this.relayDeletion({
      type: 'cancelled',
      ...fields,
      message: 'The conversation was deleted.',
      deleted: true,
    });
  }

  private accept(read: View, buffered: ConversationEvent[]): void {
    this.missing.clear();
    if (!this.view) {
      this.view = read;
      this.welcomeJoining();
      for (const event of buffered) this.relay(event);
      return;
    }
    const before = this.view;
    const { view, hasGap } = applyAll(read, buffered);
    this.isReadDue ||= hasGap;
    if (isBehind(before, view)) {
      this.view = view;
      this.audience.repair(before);
    } else {
      this.view = { ...before, title: read.title };
    }
    this.welcomeJoining();
  }

  private welcomeJoining(): void {
    for (const viewer of this.joining) this.audience.welcome(viewer);
    this.joining.clear();
  }

  private jitter(ms: number): number {
    return ms * (1 + this.deps.random.float() / 5);
  }
}

/** No event is still to come. A call of a stopped turn may end long after it. */
function isOver(turn: TurnView): boolean {
  return isEnded(turn) && turn.steps.every((step) => step.calls.every(hasEnded));
}

function applyAll(read: View, events: ConversationEvent[]): { view: View; hasGap: boolean } {
  let view = read;
  let hasGap = false;
  for (const event of events) {
    const reduced = reduceEvent(view, event);
    hasGap ||= reduced.verdict === 'gap';
    if (reduced.verdict !== 'gap') view = reduced.view;
  }
  return { view, hasGap };
}
