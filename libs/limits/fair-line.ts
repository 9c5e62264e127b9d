import type { Clock } from '#time';
import { LEAST_SHARE, mayEnter, shareOf } from './fair-share.js';

/** One user's entries in a queue, and those that are held back. */
export interface UserCount {
  sent: number;
  held: number;
}

/** Another process's report about a queue. */
export interface Report extends UserCount {
  users: ReadonlyMap<string, UserCount>;
}

/** A process that has reported nothing for this long has nothing there any more, or is gone. */
const FORGOTTEN_MS = 3_000;
const NOTHING: UserCount = { sent: 0, held: 0 };

export interface FairLineOptions {
  /** The number of places, that is, of entries that may run at once; 0: unknown. */
  places: () => number;
  share: number;
  /** The number of processes that fill the queue, including this one. */
  processes: () => number;
  clock: Pick<Clock, 'now'>;
}

/**
 * One process's view of a queue that several processes fill: the open entries of each user that were sent, those that
 * are held back here, and the reports of others. Decides what may be sent; users with the fewest entries go first.
 */
export class FairLine {
  private readonly sentBy = new Map<string, Set<string>>();
  private readonly held = new Map<string, Map<string, () => void>>();
  private readonly others = new Map<string, Report & { at: number }>();
  /** The entries of the queue that no process has reported; below 0 when more run at once than is known. */
  private unknown = 0;
  /** By the last check alone. */
  private difference = 0;
  /** Other processes have had time to report their entries. Until then, a process keeps to its part of the places. */
  private isSettled = false;
  sent = 0;
  heldInAll = 0;

  constructor(private readonly options: FairLineOptions) {}

  /** True: the entry counts as sent from now on. Otherwise it is held until `release` is called, once. */
  ask(id: string, user: string, release: () => void): boolean {
    if (this.sentBy.get(user)?.has(id)) return true;
    const held = this.held.get(user);
    if (held?.has(id)) return false;
    // The held entries of this user came earlier.
    if (!held && this.hasRoomFor(user)) {
      this.add(id, user);
      return true;
    }
    this.held.set(user, (held ?? new Map<string, () => void>()).set(id, release));
    this.heldInAll++;
    return false;
  }

  /** The entry runs; any process may have sent it. */
  count(id: string, user: string): void {
    this.drop(id, user);
    if (!this.sentBy.get(user)?.has(id)) this.add(id, user);
  }

  /** The entry has ended, or this process no longer waits for it. */
  end(id: string, user: string): void {
    const sent = this.sentBy.get(user);
    if (sent?.delete(id)) {
      this.sent--;
      if (sent.size === 0) this.sentBy.delete(user);
    }
    this.drop(id, user);
    this.release();
  }

  /** Another process's whole view; undefined: it has nothing in the queue. */
  receive(from: string, told: Report | undefined): void {
    if (told) this.others.set(from, { ...told, at: this.options.clock.now() });
    else this.others.delete(from);
    this.release();
  }

  /**
   * The state of the queue. The queue may hold entries that no process counts, and more may run at once than was
   * announced. Two checks must agree.
   */
  observeQueue(queue: { messages: number; consumers: number }): void {
    const places = this.options.places();
    const counted = this.inAll - this.unknown;
    const ahead = this.heldInAll > 0 ? shareOf(places, this.options.share) : 0;
    // While something waits, all places are taken; while nothing waits, more could run than is counted here.
    const isEmpty = queue.messages === 0;
    const difference = isEmpty ? Math.min(0, places - counted - ahead) : queue.messages + places - counted;
    this.unknown = nearerToZero(difference, this.difference);
    this.difference = difference;
    // Unknown to all processes: each must find out by itself.
    if (queue.consumers === 0) this.releaseAll();
    else this.release();
  }

  /** Admits the entries that may enter now: the earliest one of the user with the fewest. */
  release(): void {
    this.forget();
    for (;;) {
      const user = this.nextUser();
      if (user === undefined || !this.hasRoomFor(user)) return;
      this.releaseOne(user);
    }
  }

  /**
   * Whether other processes need a report: something is held here or there, or this process has its part of the places.
   */
  get isTight(): boolean {
    if (this.heldInAll > 0 || this.hasItsPart) return true;
    return this.sent > 0 && [...this.others.values()].some(({ held }) => held > 0);
  }

  /** Whether the reports of others can be taken as complete. */
  settle(isSettled: boolean): void {
    this.isSettled = isSettled;
    if (isSettled) this.release();
  }

  private get hasItsPart(): boolean {
    const processes = Math.max(1, this.options.processes());
    return this.sent >= Math.max(1, Math.floor(this.options.places() / processes));
  }

  get isIdle(): boolean {
    this.forget();
    return this.sent === 0 && this.heldInAll === 0 && this.others.size === 0;
  }

  /** The report of this process to others. If there are many users, those with the most entries. */
  view(maxUsers: number): Report {
    const users = new Set([...this.sentBy.keys(), ...this.held.keys()]);
    const counts = [...users].map((user): [string, UserCount] => [user, this.ownCount(user)]);
    counts.sort(([, a], [, b]) => b.sent + b.held - a.sent - a.held);
    return { sent: this.sent, held: this.heldInAll, users: new Map(counts.slice(0, maxUsers)) };
  }

  private get inAll(): number {
    let told = 0;
    for (const { sent } of this.others.values()) told += sent;
    return this.sent + told + this.unknown;
  }

  private hasRoomFor(user: string): boolean {
    const own = this.sentOf(user);
    if (own < LEAST_SHARE) return true;
    const { share, processes } = this.options;
    const isEarly = !this.isSettled && processes() > 1;
    if (isEarly && this.options.places() > 0 && this.hasItsPart) return false;
    const use = { places: this.options.places(), inAll: this.inAll, own, users: this.countUsers(), share };
    return mayEnter(use);
  }

  private sentOf(user: string): number {
    let sent = this.sentBy.get(user)?.size ?? 0;
    for (const { users } of this.others.values()) sent += (users.get(user) ?? NOTHING).sent;
    return sent;
  }

  private ownCount(user: string): UserCount {
    return { sent: this.sentBy.get(user)?.size ?? 0, held: this.held.get(user)?.size ?? 0 };
  }

  private countUsers(): number {
    const users = new Set([...this.sentBy.keys(), ...this.held.keys()]);
    for (const told of this.others.values()) for (const user of told.users.keys()) users.add(user);
    // Unreported entries belong to other users.
    return users.size + (this.unknown > 0 ? 1 : 0);
  }

  private nextUser(): string | undefined {
    let next: string | undefined;
    let least = Infinity;
    for (const user of this.held.keys()) {
      const sent = this.sentOf(user);
      if (sent >= least) continue;
      next = user;
      least = sent;
    }
    return next;
  }

  private releaseOne(user: string): void {
    const [first] = this.held.get(user) ?? [];
    if (!first) return;
    const [id, release] = first;
    this.drop(id, user);
    this.add(id, user);
    release();
  }

  private releaseAll(): void {
    for (const [user, calls] of this.held) while (calls.size > 0) this.releaseOne(user);
  }

  private add(id: string, user: string): void {
    this.sentBy.set(user, (this.sentBy.get(user) ?? new Set<string>()).add(id));
    this.sent++;
  }

  private drop(id: string, user: string): void {
    const held = this.held.get(user);
    if (!held?.delete(id)) return;
    this.heldInAll--;
    if (held.size === 0) this.held.delete(user);
  }

  private forget(): void {
    const now = this.options.clock.now();
    for (const [from, { at }] of this.others) if (now - at >= FORGOTTEN_MS) this.others.delete(from);
  }
}

/** Entries in transit look like a difference, too, but are gone at the next check. */
function nearerToZero(a: number, b: number): number {
  if (a * b <= 0) return 0;
  return Math.abs(a) < Math.abs(b) ? a : b;
}
