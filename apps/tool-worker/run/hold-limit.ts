import type { Clock } from '#time';

/** RabbitMQ takes the channel away from who holds a delivery for 30 minutes. */
const MAX_HOLD_MS = 20 * 60_000;

/**
 * How long one delivery may be held in all: from its arrival, over its wait for a slot and every attempt. Time in
 * which a person is asked does not count: then nothing is held.
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
