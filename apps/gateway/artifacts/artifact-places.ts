import type { Response } from 'express';
import type { Refusals } from '#observability';
import type { Clock } from '#time';
import { RequestError } from '../errors/request-error.js';

export interface ArtifactLimits {
  atOnce: number;
  perUser: number;
  /** How long a request waits for its place. */
  waitMs: number;
}

/** An artifact has up to 8 MiB and is read whole: a store has it in one row. */
export const ARTIFACT_LIMITS: ArtifactLimits = { atOnce: 32, perUser: 4, waitMs: 10_000 };
const RETRY_MS = 2_000;

type Client = Pick<Response, 'closed' | 'once' | 'off'>;
interface Waiting {
  userId: string;
  begin(): void;
}

/**
 * Places for artifacts in memory, each from before the store reads it until its client has taken the answer or left.
 * Other requests wait in the order of arrival; those of a user whose places are all taken wait separately.
 */
export class ArtifactPlaces {
  private readonly users = new Map<string, number>();
  private readonly waiting = new Set<Waiting>();
  private taken = 0;

  constructor(
    private readonly limits: ArtifactLimits,
    private readonly refusals: Pick<Refusals, 'note'>,
    private readonly clock: Clock,
  ) {}

  /** False: the client left. Throws `RequestError` `overloaded` when no place was free in time. */
  async enter(userId: string, client: Client): Promise<boolean> {
    if (client.closed) return false;
    if (this.isFree(userId)) this.count(userId, 1);
    else if (!(await this.wait(userId, client))) return false;
    const leave = () => {
      this.count(userId, -1);
      for (const next of this.waiting) if (this.isFree(next.userId)) next.begin();
    };
    if (client.closed) leave();
    else client.once('close', leave);
    return !client.closed;
  }

  /** For tests. */
  get size(): { taken: number; waiting: number } {
    return { taken: this.taken, waiting: this.waiting.size };
  }

  private isFree(userId: string): boolean {
    const { atOnce, perUser } = this.limits;
    return this.taken < atOnce && (this.users.get(userId) ?? 0) < perUser;
  }

  /** True with a place, false if the client left. */
  private wait(userId: string, client: Client): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const end = () => {
        timer.cancel();
        client.off('close', leave);
        this.waiting.delete(one);
      };
      const begin = () => {
        end();
        // At once, so that no other request finds the same place free.
        this.count(userId, 1);
        resolve(true);
      };
      const leave = () => {
        end();
        resolve(false);
      };
      const one = { userId, begin };
      const timer = this.clock.after(this.limits.waitMs, () => {
        end();
        this.refusals.note('artifacts_at_once', { user_id: userId });
        reject(new RequestError('overloaded', 'Too many files are being read right now.', RETRY_MS));
      });
      client.once('close', leave);
      this.waiting.add(one);
    });
  }

  private count(userId: string, change: 1 | -1): void {
    this.taken += change;
    const count = (this.users.get(userId) ?? 0) + change;
    if (count > 0) this.users.set(userId, count);
    else this.users.delete(userId);
  }
}
