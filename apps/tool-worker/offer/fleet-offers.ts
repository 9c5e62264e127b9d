import { ALL_PROCESSES, newMessage, type Body, type Message } from '#contracts';
import type { Bus } from '#messaging';
import type { Time } from '#time';
import type { OfferSender } from '../tool-worker.deps.js';

/** Offers of a worker that tells every process itself. */
export class FleetOffers implements OfferSender {
  constructor(private readonly deps: Time & { bus: Pick<Bus, 'send'>; processId: string }) {}

  announce(offer: Omit<Body<'catalog.announce'>, 'worker'>, replyTo?: string): Promise<boolean> {
    const message = newMessage(this.deps, 'catalog.announce', { worker: this.deps.processId, ...offer });
    return this.send(message, replyTo ? [replyTo] : ALL_PROCESSES);
  }

  withdraw(): Promise<boolean> {
    const message = newMessage(this.deps, 'catalog.withdraw', { worker: this.deps.processId });
    return this.send(message, ALL_PROCESSES);
  }

  /** Whether the broker accepted it for all keys. A key without a queue, or with a full one, counts as accepted. */
  private async send(message: Message, keys: readonly string[]): Promise<boolean> {
    const outcomes = await Promise.all(keys.map((key) => this.deps.bus.send(key, message)));
    return outcomes.every((outcome) => outcome !== 'unknown');
  }
}
