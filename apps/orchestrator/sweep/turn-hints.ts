import { LOCAL_USER_ID, turnHint, type Turn } from '#contracts';
import type { Ports } from '#journal';
import type { Timer } from '#time';
import { LEAST_SHARE, roundRobin, shareOf } from '#limits';

/** Above this number of waiting hints, a queued turn is not hinted again, because its own hint is among them. */
const CROWDED = 100;
/** Turns that end together cause only one check of the queue. */
const SOON_MS = 250;

/** A turn without its content, which may be long. */
export type HintedTurn = Pick<Turn, '_id' | 'conversation_id' | 'user_id' | 'traceparent'>;

export interface TurnShares {
  /** The part that one user may have while hints wait; 1: no limit. */
  share: number;
  /** Turns that this process may drive at once. */
  turnsAtOnce: number;
  /** Turns that it drives now. */
  driven: () => number;
}

/**
 * Sends hints about turns that no process drives. While hints wait in `turns`, each user gets only a few in at a time,
 * round-robin by user; the rest follows as turns end.
 */
export class TurnHints {
  private left: HintedTurn[] = [];
  private timer: Timer | undefined;

  constructor(
    private readonly ports: Pick<Ports, 'bus' | 'log' | 'clock' | 'random'>,
    private readonly shares: TurnShares,
  ) {}

  /** The turns that a round of the sweeper found, oldest first. */
  async send(turns: HintedTurn[]): Promise<void> {
    this.left = [];
    if (turns.length === 0) return;
    const waiting = await this.countWaiting();
    if (!this.isShared(turns)) {
      if (waiting <= CROWDED) await this.publish(turns);
      return;
    }
    await this.sendFairly(
      roundRobin(turns, ({ user_id }) => user_id),
      waiting,
    );
  }

  /** A turn has ended here, which makes room for another one. */
  noteRoom(): void {
    if (this.left.length === 0) return;
    const look = () => {
      this.timer = undefined;
      this.sendLeft().catch((error: unknown) =>
        this.ports.log.warn({ err: error }, 'queued turns not hinted, the sweeper will find them'),
      );
    };
    this.timer ??= this.ports.clock.after(SOON_MS, look, { unref: true });
  }

  stop(): void {
    this.timer?.cancel();
    this.left = [];
  }

  private isShared(turns: HintedTurn[]): boolean {
    return this.shares.share < 1 && turns.some(({ user_id }) => user_id !== LOCAL_USER_ID);
  }

  private async sendLeft(): Promise<void> {
    await this.sendFairly(this.left, await this.countWaiting());
  }

  private async sendFairly(turns: HintedTurn[], waiting: number): Promise<void> {
    const chosen = new Set(waiting === 0 ? turns.slice(0, this.room) : firstOfEach(turns, waiting));
    this.left = turns.filter((turn) => !chosen.has(turn));
    await this.publish([...chosen]);
  }

  /**
   * The number of turns that this process can take now, and a few more, so that it need not wait for the next check.
   */
  private get room(): number {
    const { share, turnsAtOnce, driven } = this.shares;
    return Math.max(0, turnsAtOnce - driven()) + shareOf(turnsAtOnce, share);
  }

  private async publish(turns: HintedTurn[]): Promise<void> {
    await Promise.all(turns.map((turn) => this.ports.bus.publish('turns', turnHint(this.ports, turn))));
  }

  private async countWaiting(): Promise<number> {
    const queue = await this.ports.bus.inspect('turns');
    return queue === 'missing' ? 0 : queue.messages;
  }
}

/** While hints wait, a user without any must not wait until those of others are consumed. */
function firstOfEach(turns: HintedTurn[], waiting: number): HintedTurn[] {
  if (waiting > CROWDED) return [];
  const counts = new Map<string, number>();
  return turns.filter(({ user_id }) => {
    const count = (counts.get(user_id) ?? 0) + 1;
    counts.set(user_id, count);
    return count <= LEAST_SHARE;
  });
}
