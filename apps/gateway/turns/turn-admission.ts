import type { GatewayLimits } from '#bootstrap';
import { shareOf } from '#limits';
import type { Bus } from '#messaging';
import type { Clock } from '#time';
import { MinuteLimit } from '../limits/minute-limit.js';
import type { SharedCounts } from '../limits/shared-counts.js';
import { RequestError } from '../errors/request-error.js';

/** The oldest age of the known queue length when messages arrive. */
const CHECK_EVERY_MS = 1_000;
/** When a user has more than their share of turns. */
const CHECK_SOON_MS = 100;
const RETRY_AFTER_MS = 5_000;
const UNENDED_RETRY_MS = 1_000;
/** Of all users together within a minute: bounds the memory. */
const MAX_REMEMBERED = 1_000_000;

export interface TurnLimits extends Pick<
  GatewayLimits,
  'waitingTurns' | 'turnsAtOnce' | 'messagesPerMinute'
> {
  /** The part of `turnsAtOnce` that is hinted while hints wait; 1: all. */
  fairShare: number;
}
/** Which limit kept a message out, as the settings name it. */
export type TurnLimit = 'messages_per_minute' | 'turns_at_once' | 'waiting_turns';

/** The messages of one user that are being admitted. */
interface PendingCounts {
  near: number;
  admit: number;
  done: number;
}

/** One message that is being admitted. */
export interface PendingTurn {
  /**
   * Throws `RequestError` `overloaded`; `counted`: unended turns of the user; `rows`: rows of its history to be stored.
   * The message counts once, rows whenever there are any.
   */
  admit(counted: number, rows?: number): void;
  end(): void;
}

/**
 * Refuses new turns: those of a user who has too many unended ones or sends too many a minute, and those of all users
 * while more turns wait for an orchestrator than the queue should hold. An accepted turn is in the journal, so it must
 * be refused before. The queue is checked while messages arrive, without delaying them. An unreachable broker refuses no
 * turn, because the sweeper hints later.
 */
export class TurnAdmission {
  /** Hints that wait for an orchestrator. */
  private waiting = 0;
  private inspecting: Promise<void> = Promise.resolve();
  private inspectedAt = -Infinity;
  private readonly rate: MinuteLimit;
  private readonly pending = new Map<string, PendingCounts>();

  constructor(
    private readonly bus: Pick<Bus, 'inspect'>,
    private readonly limits: TurnLimits,
    private readonly onRefusal: (limit: TurnLimit, userId: string) => void,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    const { messagesPerMinute: perUser } = limits;
    this.rate = new MinuteLimit(
      { what: 'messages and new conversations', perUser, inAll: MAX_REMEMBERED },
      clock,
    );
  }

  /** Messages count for the whole installation. */
  shareWith(counts: Pick<SharedCounts, 'share'>): void {
    counts.share('messages_per_minute', this.rate);
  }

  /**
   * Call it before the unended turns of the user are counted: that count misses turns that are admitted meanwhile or not
   * yet in the journal. Call `end` when the turn is in the journal or was refused.
   */
  begin(userId: string): PendingTurn {
    const counts = this.pending.get(userId) ?? { near: 0, admit: 0, done: 0 };
    this.pending.set(userId, counts);
    counts.near++;
    const doneBefore = counts.done;
    let isIn = false;
    return {
      admit: (counted, rows = 0) => {
        if (isIn) return rows > 0 ? this.count(userId, rows) : undefined;
        this.check(userId, counted + counts.admit - doneBefore, rows);
        counts.admit++;
        isIn = true;
      },
      end: () => {
        if (isIn) counts.done++;
        if (--counts.near === 0) this.pending.delete(userId);
      },
    };
  }

  /**
   * Admits one new message of a user, or throws `RequestError` `overloaded`. The rows of its history count as messages:
   * more of them than a minute allows are a debt, and the next message waits until it is paid.
   */
  check(userId: string, unended: number, rows = 0): void {
    this.inspectAfter(CHECK_EVERY_MS);
    if (unended >= this.limits.turnsAtOnce)
      throw this.refuse(
        'turns_at_once',
        userId,
        'Too many of your turns have not ended yet.',
        UNENDED_RETRY_MS,
      );
    if (this.waiting >= this.limits.waitingTurns)
      throw this.refuse(
        'waiting_turns',
        userId,
        'Too many messages are waiting for an answer.',
        RETRY_AFTER_MS,
      );
    // Comes last, so that a message refused for another reason is not counted.
    this.count(userId, 1 + rows);
  }

  /**
   * Something else that a user creates and that is stored, such as an empty conversation. It counts like a message, so
   * that no user fills the store faster. Throws `RequestError` `overloaded`.
   */
  count(userId: string, rows = 1): void {
    try {
      this.rate.take(userId, rows);
    } catch (error) {
      this.onRefusal('messages_per_minute', userId);
      throw error;
    }
  }

  private refuse(limit: TurnLimit, userId: string, message: string, retryAfterMs: number): RequestError {
    this.onRefusal(limit, userId);
    return new RequestError('overloaded', message, retryAfterMs);
  }

  /** The broker has refused a hint. */
  noteRefusal(): void {
    this.waiting = Infinity;
    this.inspectedAt = this.clock.now();
  }

  /**
   * Whether a new turn of a user with `unended` others is hinted at once. While hints wait for an orchestrator, those
   * of a user beyond their share stay due, and sweepers send them.
   */
  async mayHint(unended: number): Promise<boolean> {
    const { fairShare, turnsAtOnce } = this.limits;
    if (fairShare >= 1 || unended < shareOf(turnsAtOnce, fairShare)) return true;
    this.inspectAfter(CHECK_SOON_MS);
    await this.inspecting;
    return this.waiting === 0;
  }

  private inspectAfter(ms: number): void {
    if (this.clock.now() - this.inspectedAt < ms) return;
    this.inspectedAt = this.clock.now();
    this.inspecting = this.inspectQueue();
  }

  private async inspectQueue(): Promise<void> {
    try {
      const queue = await this.bus.inspect('turns');
      this.waiting = queue === 'missing' ? 0 : queue.messages;
    } catch {
      this.waiting = 0;
    }
  }
}
