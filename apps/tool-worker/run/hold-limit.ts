import type { Clock } from '#time';

/** RabbitMQ closes the channel of a consumer that holds a delivery for 30 minutes. */
const MAX_HOLD_MS = 20 * 60_000;

/**
 * The total time that one delivery may be held: from its arrival, through its wait for a slot and every attempt. Time
 * spent waiting for a person does not count, because the delivery is not held then.
 */
export class HoldLimit {
  private endsAt: number;
  private pausedAt: number | undefined;

  constructor(private readonly clock: Pick<Clock, 'now'>) {
    this.endsAt = clock.now() + MAX_HOLD_MS;
  }

  get leftMs(): number {
    return Math.max(0, Math.round(this.endsAt - (this.pausedAt ?? this.clock.now())));
  }

  pause(): void {
    this.pausedAt ??= this.clock.now();
  }

  resume(): void {
    if (this.pausedAt === undefined) return;
    this.endsAt += this.clock.now() - this.pausedAt;
    this.pausedAt = undefined;
  }
}
