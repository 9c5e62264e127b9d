import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { Message, MessageType } from '#contracts';
import type { DeadDelivery, DeliveryOutcome } from '../port/bus.port.js';
import type { BusContext } from './bus-context.js';

/** The pattern of the dead-letter handler. */
export const DEAD = 'dead';

type Outcome = DeliveryOutcome | void;
type Method<Input> = (input: Input, context: BusContext) => Outcome | Promise<Outcome>;
type HandlerDecorator<Input> = <M extends Method<Input>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

/**
 * Marks a controller's method as the handler of one message type. A method with another parameter type does not
 * compile.
 */
export function Handles<T extends MessageType>(type: T): HandlerDecorator<Message<T>> {
  return handlerOf(type);
}

/** The same for several types, which one method handles. */
export function HandlesEach<T extends MessageType>(types: readonly T[]): HandlerDecorator<Message<T>> {
  return handlerOf([...types]);
}

/** Marks a controller's method as the handler of dead letters. */
export function HandlesDead(): HandlerDecorator<DeadDelivery> {
  return handlerOf(DEAD);
}

function handlerOf<Input>(pattern: string | string[]): HandlerDecorator<Input> {
  return (target, name, descriptor) => {
    MessagePattern(pattern)(target, name, descriptor);
    Payload()(target, name, 0);
    Ctx()(target, name, 1);
  };
}
