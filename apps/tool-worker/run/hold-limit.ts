/** RabbitMQ takes the channel away from who holds a delivery for 30 minutes. */
const MAX_HOLD_MS = 20 * 60_000;

/** How long one delivery may be held in all: from its arrival, over its wait for a slot and every attempt. */
export class HoldLimit {
  private readonly endsAt = performance.now() + MAX_HOLD_MS;

  get leftMs(): number {
    return Math.max(0, Math.round(this.endsAt - performance.now()));
  }
}
