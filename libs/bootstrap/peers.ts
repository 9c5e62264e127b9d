import { LRUCache } from 'lru-cache';
import { controlKey, groupOf, PROTOCOL_VERSION, type ProcessRow, type Role } from '#contracts';
import type { Bus } from '#messaging';
import type { Logger } from '#observability';
import type { Store } from '#store';
import { timestampOf, type Time } from '#time';
import { GroupPaths } from './group-paths.js';
import {
  isDeadByBeat,
  isGone,
  isReturnCounted,
  isSuspectByProbes,
  observeBeat,
  PROBE_GAP_MS,
  mayBeStalled,
  isStalled,
  stalledAt,
  STALLED_AFTER_MS,
  BEAT_INTERVAL_MS,
  unchangedForMs,
  type BeatObservation,
  type Listing,
  type OwnHeartbeats,
  type Probe,
} from './liveness-rules.js';

/** How many ids of gone processes are kept in memory; a forgotten one is looked up again. */
const MAX_GONE = 10_000;
/**
 * A beat that has not stood still long enough by then will not: its owner lives, or this process's own heartbeats are
 * irregular.
 */
const STALL_PATIENCE_MS = STALLED_AFTER_MS + BEAT_INTERVAL_MS;
/** The pause between two looks while something other than time is missing. */
const RECHECK_MS = 500;

export interface PeersOptions extends Time {
  store: Pick<Store, 'listProcesses'>;
  bus: Pick<Bus, 'send' | 'connectedForMs'>;
  /** Ids of this operating system process: never dead, never suspect. */
  ownIds: readonly string[];
  own: () => OwnHeartbeats;
  logger: Logger;
}

interface ListingRead {
  rows: ProcessRow[];
  listing: Listing;
}

/** Which other processes are dead or suspect. `readRound` is called after each of this process's own heartbeats. */
export class Peers {
  private readonly observations = new Map<string, BeatObservation>();
  private readonly paths = new GroupPaths();
  // Not `max`, which allocates its storage at once, at every start.
  /** An id is never used twice, so a gone process stays gone. */
  private readonly gone = new LRUCache<string, true>({ maxSize: MAX_GONE, sizeCalculation: () => 1 });
  private readonly probing = new Map<string, Promise<boolean>>();
  private reading: Promise<unknown> = Promise.resolve();
  private waiting: Promise<ListingRead | undefined> | undefined;

  constructor(private readonly options: PeersOptions) {}

  /** Reads one listing; never rejects. */
  async readRound(): Promise<void> {
    await this.listFromNowOn();
  }

  /**
   * Dead: its row is gone, or its beat was seen unchanged for 8 s that count. Never true while the store does not
   * answer. Before it returns true it reads a fresh listing: earlier observations may be older than the claim in
   * question, and the last listing does not have processes that started after it.
   */
  async isDead(processId: string): Promise<boolean> {
    if (this.options.ownIds.includes(processId)) return false;
    if (this.gone.has(processId)) return true;
    const knownSince = this.now();
    const before = this.observations.get(processId);
    if (before && !isDeadByBeat(before, this.ownFor(processId), knownSince)) return false;
    // A process that was frozen and has just thawed claims before the next round sees its beat: only a look from now on
    // counts.
    const read = await this.listFromNowOn();
    if (!read) return false;
    const seen = this.observations.get(processId);
    if (seen) return isDeadByBeat(seen, this.ownFor(processId), this.now());
    return this.noteGone(processId, read, knownSince);
  }

  /**
   * Dead because its row is gone, by a listing that begins now: for a caller with a reason to ask, such as a returned
   * message. A process that left in order is known at once, a killed one is not.
   */
  async isGone(processId: string): Promise<boolean> {
    if (this.options.ownIds.includes(processId)) return false;
    if (this.gone.has(processId)) return true;
    const knownSince = this.now();
    const read = await this.listFromNowOn();
    return read !== undefined && this.noteGone(processId, read, knownSince);
  }

  private noteGone(processId: string, read: ListingRead, knownSince: number): boolean {
    if (!isGone(read.rows, read.listing, processId, knownSince)) return false;
    this.gone.set(processId, true);
    return true;
  }

  /**
   * Suspect: its control queue returned two probes, 1 s apart. Within 10 s of this process's own reconnect that proves
   * nothing by itself: then the beat must also stand still for 3 s between the two probes, while this process's own
   * beat does not. False at once when the first probe is not returned. One pair of probes at a time per process, shared
   * by all callers.
   */
  isSuspect(processId: string): Promise<boolean> {
    if (this.options.ownIds.includes(processId)) return Promise.resolve(false);
    const running = this.probing.get(processId);
    if (running) return running;
    const probing = this.probeTwice(processId).finally(() => this.probing.delete(processId));
    this.probing.set(processId, probing);
    return probing;
  }

  /**
   * Lost: its control queue returned a probe, its beat stood still for 3 s while this process's own did not, and then
   * another probe was returned. Slower than `isSuspect` and more certain, however long this process has been connected.
   * Costs no message while the beat moves, so it may be called repeatedly.
   */
  async isLost(processId: string): Promise<boolean> {
    if (this.options.ownIds.includes(processId)) return false;
    const seen = this.observations.get(processId);
    if (seen ? !mayBeStalled(seen) : !this.gone.has(processId)) return false;
    return this.isSilent(processId, await this.probe(processId));
  }

  /** Rows of processes whose beat stood still for `durationMs` that count: the sweeper removes them after an hour. */
  listUnchangedFor(durationMs: number): string[] {
    return [...this.observations]
      .filter(
        ([id, observation]) =>
          !this.options.ownIds.includes(id) && unchangedForMs(observation, this.ownFor(id)) >= durationMs,
      )
      .map(([id]) => id);
  }

  /** The number of processes of a role that have a row and whose beat does not stand still, including this one. */
  countLiving(role: Role): number {
    const now = this.now();
    return [...this.observations].filter(
      ([id, observation]) => id.startsWith(`${role}-`) && !isDeadByBeat(observation, this.ownFor(id), now),
    ).length;
  }

  private async probeTwice(processId: string): Promise<boolean> {
    const first = await this.probe(processId);
    if (isReturnCounted(first)) {
      await this.options.clock.sleep(PROBE_GAP_MS);
      return isSuspectByProbes(first, await this.probe(processId));
    }
    return this.isSilent(processId, first);
  }

  /** A full queue or an alarm proves nothing here: the others may be as young as this process. */
  private async isSilent(processId: string, first: Probe): Promise<boolean> {
    if (first.outcome !== 'returned' || !(await this.hasStoppedBeating(processId))) return false;
    return (await this.probe(processId)).outcome === 'returned';
  }

  /** Watches the beat until it stands still, has changed, or enough time has passed. */
  private async hasStoppedBeating(processId: string): Promise<boolean> {
    const { clock } = this.options;
    const own = () => this.ownFor(processId);
    const givesUpAt = this.now() + STALL_PATIENCE_MS;
    for (;;) {
      if (!(await this.listFromNowOn())) return false;
      const seen = this.observations.get(processId);
      if (!seen) return this.gone.has(processId);
      if (isStalled(seen, own(), this.now())) return true;
      const leftMs = (stalledAt(seen, own()) ?? 0) - this.now();
      const waitMs = Math.max(leftMs, RECHECK_MS);
      if (this.now() + waitMs > givesUpAt) return false;
      await clock.sleep(waitMs);
    }
  }

  /** This process's own heartbeats, as they count for what it observes of another. */
  private ownFor(processId: string): OwnHeartbeats {
    const own = this.options.own();
    const group = groupOf(processId);
    return group === undefined ? own : this.paths.countedFor(group, own, this.now());
  }

  private now(): number {
    return this.options.clock.now();
  }

  private async probe(processId: string): Promise<Probe> {
    const { bus, clock, random } = this.options;
    const sentAt = this.now();
    const outcome = await bus.send(controlKey(processId), {
      id: random.id(),
      type: 'probe',
      version: PROTOCOL_VERSION,
      at: timestampOf(clock),
      body: {},
    });
    return { outcome, sentAt, connectedForMs: bus.connectedForMs() };
  }

  /** A listing that begins after this call. All callers during a read share the next one. */
  private listFromNowOn(): Promise<ListingRead | undefined> {
    if (!this.waiting) {
      const next = this.reading.then(() => {
        this.waiting = undefined;
        return this.list();
      });
      this.waiting = next;
      this.reading = next;
    }
    return this.waiting;
  }

  private async list(): Promise<ListingRead | undefined> {
    const startedAt = this.now();
    try {
      const rows = await this.options.store.listProcesses();
      const listing = { startedAt, endedAt: this.now() };
      this.observe(rows, listing);
      return { rows, listing };
    } catch (error) {
      this.options.logger.warn({ err: error }, 'reading the list of processes failed');
      return undefined;
    }
  }

  private observe(rows: ProcessRow[], listing: Listing): void {
    this.paths.observe(rows, listing);
    const present = new Set(rows.map((row) => row._id));
    for (const id of this.observations.keys()) {
      if (present.has(id)) continue;
      this.observations.delete(id);
      this.gone.set(id, true);
    }
    for (const { _id, beat } of rows)
      this.observations.set(_id, observeBeat(this.observations.get(_id), beat, listing));
  }
}
