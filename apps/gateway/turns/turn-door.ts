import type { Bus } from '#messaging';
import { RequestError } from '../errors/request-error.js';

/** What is known of the queue is this old at most when messages come in. */
const LOOK_EVERY_MS = 1_000;
const RETRY_AFTER_MS = 5_000;

/**
 * Keeps new turns out while more wait for an orchestrator than the queue should hold: a turn that is accepted is
 * in the journal, so it must be refused before. The queue is looked at while messages come, beside them; a broker
 * that is away keeps nobody out, because the sweeper hints later.
 */
export class TurnDoor {
  private isFull = false;
  private lookedAt = -Infinity;

  constructor(
    private readonly bus: Pick<Bus, 'inspect'>,
    private readonly waitingTurns: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Throws `RequestError` `overloaded`. */
  check(): void {
    if (this.now() - this.lookedAt >= LOOK_EVERY_MS) void this.look();
    if (this.isFull)
      throw new RequestError('overloaded', 'Too many messages wait for an answer.', RETRY_AFTER_MS);
  }

  /** A hint was refused: the broker has said so itself. */
  noteRefusal(): void {
    this.isFull = true;
    this.lookedAt = this.now();
  }

  private async look(): Promise<void> {
    this.lookedAt = this.now();
    try {
      const queue = await this.bus.inspect('turns');
      this.isFull = queue !== 'missing' && queue.messages >= this.waitingTurns;
    } catch {
      this.isFull = false;
    }
  }
}
