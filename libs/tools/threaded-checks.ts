import { LRUCache } from 'lru-cache';
import type { Clock } from '#time';
import { Checker } from './checker.js';
import type { CheckRequest, SlowCheckEnd, SlowChecks } from './slow-checks.port.js';

export interface ThreadedCheckOptions {
  clock: Pick<Clock, 'now' | 'after'>;
  /** The limit of one check. */
  limitMs?: number;
  /** The limit on waiting in the user's line. */
  waitMs?: number;
  /** How many checks of one user may wait. */
  maxWaiting?: number;
}

interface Waiting {
  request: CheckRequest;
  end(how: SlowCheckEnd): void;
}

/** For this long, a user whose check was stopped shares one thread with all other such users. */
const SUSPECT_MS = 60_000;
const MAX_SUSPECTS = 10_000;

/**
 * Runs checks off the event loop, on two threads. Each user has a line, users take turns, and one check of a user runs
 * at a time. The second thread serves only users without a recently stopped check, so that no number of suspect users
 * delays them.
 */
export class ThreadedChecks implements SlowChecks {
  private readonly checkers = [new Checker(), new Checker()];
  private readonly busy = new Set<Checker>();
  /** The lines by user, in the order of their turns. */
  private readonly lines = new Map<string, Waiting[]>();
  private readonly served = new Set<string>();
  /** The end of each user's suspicion. */
  private readonly suspects = new LRUCache<string, number>({
    maxSize: MAX_SUSPECTS,
    sizeCalculation: () => 1,
  });
  readonly limitMs: number;
  private readonly waitMs: number;
  private readonly maxWaiting: number;
  private readonly clock: Pick<Clock, 'now' | 'after'>;

  constructor({ clock, limitMs = 500, waitMs = 5_000, maxWaiting = 64 }: ThreadedCheckOptions) {
    this.limitMs = limitMs;
    this.waitMs = waitMs;
    this.maxWaiting = maxWaiting;
    this.clock = clock;
  }

  check(userId: string, request: CheckRequest): Promise<SlowCheckEnd> {
    const line = this.lines.get(userId) ?? [];
    if (line.length >= this.maxWaiting) return Promise.resolve('too_many');
    this.lines.set(userId, line);
    return new Promise((resolve) => {
      const waiting: Waiting = {
        request,
        end: (how) => {
          timer.cancel();
          resolve(how);
        },
      };
      const timer = this.clock.after(this.waitMs, () => this.giveUp(userId, waiting));
      line.push(waiting);
      this.serve();
    });
  }

  /** Ends the threads; the next check starts new ones. */
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
    // Move the user to the end of the round if more checks wait.
    this.lines.delete(userId);
    if (line.length > 0) this.lines.set(userId, line);
    this.busy.add(checker);
    this.served.add(userId);
    const how = await checker.check(request, this.limitMs);
    this.busy.delete(checker);
    this.served.delete(userId);
    if (how === 'too_slow' || how === 'died') this.suspects.set(userId, this.clock.now() + SUSPECT_MS);
    end(how);
    this.serve();
  }

  private isSuspect(userId: string): boolean {
    const until = this.suspects.get(userId);
    return until !== undefined && this.clock.now() < until;
  }
}
