import { BaseRpcContext } from '@nestjs/microservices';
import type { Delivery } from '../bus.port.js';

/** Second argument (`@Ctx()`) of a message handler. */
export class BusContext extends BaseRpcContext<[source: string, delivery?: Delivery]> {
  /** Queue that the message came from; `control` for control messages. */
  get source(): string {
    return this.args[0];
  }

  /** What a queue delivered; control messages and dead letters are none. */
  get delivery(): Delivery | undefined {
    return this.args[1];
  }
}
