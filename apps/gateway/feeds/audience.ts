import type { ConversationEvent, Snapshot, View } from '#contracts';
import type { SnapshotReason } from '#observability';
import { timestampOf, type Clock } from '#time';
import { endsBetween } from '#turn';
import { Backlog } from './backlog.js';
import { snapshotOf } from './snapshot.js';
import type { Room, Viewer } from './viewer.js';

export interface AudienceCounters {
  /** Events handed to viewers. */
  relayed(count: number): void;
  /** A slow viewer's backlog was dropped: it was too long, or events may be missing from it. */
  dropped(reason: 'slow_viewer' | 'gap'): void;
  snapshots(reason: SnapshotReason, count: number): void;
}

/**
 * The viewers of one conversation. A viewer that keeps up is in the room. A slow viewer is fed separately from a
 * backlog until it has drained, so one slow viewer never delays another. Every viewer's events stay in order.
 */
export class Audience {
  private readonly ready = new Set<Viewer>();
  private readonly lagging = new Map<Viewer, Backlog>();

  constructor(
    private readonly room: Room,
    private readonly counters: AudienceCounters,
    /** The present view: every viewer that has received everything holds it. */
    private readonly currentView: () => View,
    private readonly clock: Clock,
  ) {}

  get size(): number {
    return this.ready.size + this.lagging.size;
  }

  /** Viewers that are fed from a backlog. */
  get slow(): number {
    return this.lagging.size;
  }

  has(viewer: Viewer): boolean {
    return this.ready.has(viewer) || this.lagging.has(viewer);
  }

  /** From now on the viewer receives everything; it starts with a snapshot. */
  welcome(viewer: Viewer): void {
    // A viewer that asks for snapshots and does not read them gets one, once it reads.
    if (viewer.isBehind() && !this.lagging.has(viewer)) this.setLagging(viewer, this.currentView());
    if (this.lagging.has(viewer)) return this.lagging.get(viewer)?.drop();
    viewer.send(this.snapshotOf(this.currentView()));
    this.counters.snapshots('joined', 1);
    if (this.ready.has(viewer)) return;
    this.ready.add(viewer);
    this.room.enter(viewer);
  }

  remove(viewer: Viewer): void {
    if (this.ready.delete(viewer)) this.room.leave(viewer);
    this.lagging.get(viewer)?.release();
    this.lagging.delete(viewer);
  }

  /** `before`: the view that this event changes. */
  relay(event: ConversationEvent, before: View): void {
    for (const viewer of this.ready) if (viewer.isBehind()) this.setLagging(viewer, before);
    if (this.ready.size > 0) this.room.broadcast(event);
    for (const backlog of this.lagging.values()) this.delay(backlog, event);
    this.counters.relayed(this.size);
  }

  /** All viewers missed something: sends the present view, then the ends that `before` did not have. */
  repair(before: View): void {
    const view = this.currentView();
    for (const backlog of this.lagging.values()) this.drop(backlog);
    if (this.ready.size === 0) return;
    this.room.broadcast(this.snapshotOf(view));
    this.counters.snapshots('gap', this.ready.size);
    for (const end of endsBetween(before, view, timestampOf(this.clock))) this.room.broadcast(end);
  }

  private snapshotOf(view: View): Snapshot {
    return snapshotOf(view, timestampOf(this.clock));
  }

  private delay(backlog: Backlog, event: ConversationEvent): void {
    const wasBroken = backlog.isBroken;
    backlog.add(event);
    if (backlog.isBroken && !wasBroken) this.counters.dropped('slow_viewer');
  }

  private drop(backlog: Backlog): void {
    if (!backlog.isBroken) this.counters.dropped('gap');
    backlog.drop();
  }

  private setLagging(viewer: Viewer, seen: View): void {
    this.ready.delete(viewer);
    this.room.leave(viewer);
    this.lagging.set(viewer, new Backlog(seen, viewer.budget));
    viewer.onceDrained(() => this.catchUp(viewer));
  }

  private catchUp(viewer: Viewer): void {
    const backlog = this.lagging.get(viewer);
    if (!backlog) return;
    // Another conversation caught up before, and its snapshot is on the way now.
    if (viewer.isBehind()) return viewer.onceDrained(() => this.catchUp(viewer));
    this.lagging.delete(viewer);
    if (backlog.isBroken) {
      const view = this.currentView();
      viewer.send(this.snapshotOf(view));
      this.counters.snapshots('slow_viewer', 1);
      for (const end of endsBetween(backlog.seen, view, timestampOf(this.clock))) viewer.send(end);
    } else {
      for (const event of backlog.list()) viewer.send(event);
    }
    backlog.release();
    this.ready.add(viewer);
    this.room.enter(viewer);
  }
}
