import { BaseRpcContext } from '@nestjs/microservices';
import type { Delivery } from '../port/bus.port.js';

/** Second argument (`@Ctx()`) of a message handler. */
export class BusContext extends BaseRpcContext<[source: string, delivery?: Delivery]> {
  /** The queue of the message; `control` for control messages. */
  get source(): string {
    return this.args[0];
  }

  /** The delivery from a queue; undefined for control messages and dead letters. */
  get delivery(): Delivery | undefined {
    return this.args[1];
  }
}
