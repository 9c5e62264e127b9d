/** RabbitMQ takes the channel away from who holds a delivery for 30 minutes. */
const MAX_HOLD_MS = 20 * 60_000;

/**
 * How long one delivery may be held in all: from its arrival, over its wait for a slot and every attempt. Time in
 * which a person is asked does not count: then nothing is held.
 */
export class HoldLimit {
  private endsAt = performance.now() + MAX_HOLD_MS;
  private pausedAt: number | undefined;

  get leftMs(): number {
    return Math.max(0, Math.round(this.endsAt - (this.pausedAt ?? performance.now())));
  }

  pause(): void {
    this.pausedAt ??= performance.now();
  }

  resume(): void {
    if (this.pausedAt === undefined) return;
    this.endsAt += performance.now() - this.pausedAt;
    this.pausedAt = undefined;
  }
}
