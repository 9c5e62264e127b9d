import { Checker, type CheckEnd } from './checker.js';
import type { CheckRequest } from './check-thread.js';

/** `too_many`: others of the same user were still waiting. */
export type SlowCheckEnd = CheckEnd | 'too_many';

export interface SlowCheckOptions {
  /** Of one check. */
  limitMs?: number;
  /** In the line of its user. */
  waitMs?: number;
  /** Checks of one user that may wait. */
  maxWaiting?: number;
  now?: () => number;
}

interface Waiting {
  request: CheckRequest;
  end(how: SlowCheckEnd): void;
}

/** A user whose check was stopped shares one thread with all others of this kind for this long. */
const SUSPECT_MS = 60_000;
const MAX_SUSPECTS = 10_000;

/**
 * Checks off the event loop, on two threads: each user has a line, users take turns, one check of a user at a time.
 * The second thread serves only users none of whose checks was stopped lately, so that no number of others delays them.
 */
export class SlowChecks {
  private readonly checkers = [new Checker(), new Checker()];
  private readonly busy = new Set<Checker>();
  /** By user, in the order of their turns. */
  private readonly lines = new Map<string, Waiting[]>();
  private readonly served = new Set<string>();
  /** Until when, by user. */
  private readonly suspects = new Map<string, number>();
  private readonly limitMs: number;
  private readonly waitMs: number;
  private readonly maxWaiting: number;
  private readonly now: () => number;

  constructor({
    limitMs = 500,
    waitMs = 5_000,
    maxWaiting = 64,
    now = () => performance.now(),
  }: SlowCheckOptions = {}) {
    this.limitMs = limitMs;
    this.waitMs = waitMs;
    this.maxWaiting = maxWaiting;
    this.now = now;
  }

  check(userId: string, request: CheckRequest): Promise<SlowCheckEnd> {
    const line = this.lines.get(userId) ?? [];
    if (line.length >= this.maxWaiting) return Promise.resolve('too_many');
    this.lines.set(userId, line);
    return new Promise((resolve) => {
      const waiting: Waiting = {
        request,
        end: (how) => {
          clearTimeout(timer);
          resolve(how);
        },
      };
      const timer = setTimeout(() => this.giveUp(userId, waiting), this.waitMs);
      line.push(waiting);
      this.serve();
    });
  }

  /** Ends the threads; the next check makes new ones. */
  async stop(): Promise<void> {
    await Promise.all(this.checkers.map((checker) => checker.stop()));
  }

  private giveUp(userId: string, waiting: Waiting): void {
    const line = this.lines.get(userId) ?? [];
    const place = line.indexOf(waiting);
    if (place === -1) return;
    line.splice(place, 1);
    if (line.length === 0) this.lines.delete(userId);
    waiting.end('too_many');
  }

  private serve(): void {
    for (const [index, checker] of this.checkers.entries()) {
      if (this.busy.has(checker)) continue;
      const userId = this.nextUser(index === 0);
      if (userId !== undefined) void this.serveUser(checker, userId);
    }
  }

  /** Users without a stopped check go first. */
  private nextUser(maySuspect: boolean): string | undefined {
    let suspect: string | undefined;
    for (const userId of this.lines.keys()) {
      if (this.served.has(userId)) continue;
      if (!this.isSuspect(userId)) return userId;
      suspect ??= userId;
    }
    return maySuspect ? suspect : undefined;
  }

  private async serveUser(checker: Checker, userId: string): Promise<void> {
    const line = this.lines.get(userId)!;
    const { request, end } = line.shift()!;
    // To the end of the round, if there is more.
    this.lines.delete(userId);
    if (line.length > 0) this.lines.set(userId, line);
    this.busy.add(checker);
    this.served.add(userId);
    const how = await checker.check(request, this.limitMs);
    this.busy.delete(checker);
    this.served.delete(userId);
    if (how === 'too_slow' || how === 'died') this.suspect(userId);
    end(how);
    this.serve();
  }

  private isSuspect(userId: string): boolean {
    const until = this.suspects.get(userId);
    if (until === undefined) return false;
    if (this.now() < until) return true;
    this.suspects.delete(userId);
    return false;
  }

  private suspect(userId: string): void {
    this.suspects.delete(userId);
    if (this.suspects.size >= MAX_SUSPECTS) this.suspects.delete(this.suspects.keys().next().value!);
    this.suspects.set(userId, this.now() + SUSPECT_MS);
  }
}
