import type { BusLogger } from './bus-logger.js';
import type { Bus } from './bus.port.js';
import { decodeEvent } from './event-codec.js';

type Listener = Parameters<Bus['onEvent']>[0];

/** Passes events to every listener. A listener that throws affects neither the others nor the channel. */
export class EventListeners {
  private readonly listeners: Listener[] = [];

  constructor(private readonly logger: BusLogger) {}

  add(listener: Listener): void {
    this.listeners.push(listener);
  }

  notifyEvent(content: Buffer): void {
    const event = decodeEvent(content);
    if (event) this.notifyAll((listener) => listener.event(event));
    else this.logger.warn({ bytes: content.byteLength }, 'unreadable event dropped');
  }

  notifyGap(): void {
    this.notifyAll((listener) => listener.gap());
  }

  private notifyAll(call: (listener: Listener) => void): void {
    for (const listener of this.listeners) {
      try {
        call(listener);
      } catch (error) {
        this.logger.error({ err: error }, 'event listener failed');
      }
    }
  }
}
