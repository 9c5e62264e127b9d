import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { defaultIfEmpty, isObservable, lastValueFrom } from 'rxjs';
import { QUEUE_TYPES, TAKEN_BY, type Message, type Role } from '#contracts';
import { BusSetupError } from '../port/bus-errors.js';
import type { BusLogger } from '../port/bus-logger.js';
import type { Bus, Consumer, DeadDelivery, Delivery, DeliveryOutcome, Handler } from '../port/bus.port.js';
import { kindOfQueue } from '../port/topology.js';
import { BusContext } from './bus-context.js';
import { DEAD } from './handles.js';

export interface BusStrategyOptions {
  /** Whose handlers these are; see `TAKEN_BY`. */
  role: Role;
  logger: BusLogger;
}

/**
 * Nest transport on top of a `Bus`. Handlers are controller methods with `@Handles('<message type>')` or
 * `@HandlesDead()`; they get the message (or `DeadDelivery`) and a `BusContext`, and return a `DeliveryOutcome` or
 * nothing (`ack`); a handler that throws rejects. Nothing is consumed before a `start` method is called. The creator of
 * the bus opens and closes it.
 */
export class BusStrategy extends Server implements CustomTransportStrategy {
  private readonly consumers = new Set<Consumer>();
  private readonly twice: string[] = [];

  constructor(
    private readonly bus: Bus,
    private readonly options: BusStrategyOptions,
  ) {
    super();
  }

  override addHandler(pattern: unknown, callback: MessageHandler, isEventHandler = false, extras = {}): void {
    const type = this.normalizePattern(pattern as string);
    if (this.messageHandlers.has(type) || isEventHandler) this.twice.push(type);
    super.addHandler(pattern, callback, isEventHandler, extras);
  }

  /** Fails unless there is exactly one handler for each type that the role takes, and no other handler. */
  listen(callback: (error?: Error) => void): void {
    const { role } = this.options;
    const taken = typesTakenBy(role);
    const wrong = [
      ...[...this.messageHandlers.keys()]
        .filter((type) => !taken.has(type))
        .map((type) => `the ${role} has a handler for ${type}, which it does not accept`),
      ...[...taken]
        .filter((type) => !this.messageHandlers.has(type))
        .map((type) => `the ${role} accepts ${type} but has no handler for it`),
      ...this.twice.map((type) => `${type} needs exactly one handler`),
    ];
    callback(wrong.length > 0 ? new BusSetupError(wrong.join('; ')) : undefined);
  }

  /** Throws `BusSetupError` for a queue from which the role does not consume. */
  async startConsuming(queue: string, options: { prefetch: number }): Promise<Consumer> {
    const { role } = this.options;
    const kind = kindOfQueue(queue);
    const queues: readonly string[] = TAKEN_BY[role].queues;
    if (!kind || !queues.includes(kind))
      throw new BusSetupError(`the ${role} does not consume from ${queue}`);
    const handlers = this.handlersOf(QUEUE_TYPES[kind]);
    // The bus delivers only types that belong to the queue.
    const handler: Handler = (delivery) =>
      this.handle(handlers.get(delivery.message.type)!, delivery.message, delivery, queue);
    return this.keep(await this.bus.consume(queue, options, handler));
  }

  async startDead(): Promise<Consumer> {
    const handler = this.handlerOf(DEAD);
    const store = async (dead: DeadDelivery): Promise<void> => {
      await resolveResult(handler(dead, new BusContext(['dead-letters'])));
    };
    return this.keep(await this.bus.consumeDead(store));
  }

  /** Consumes control messages of the types that the role takes; others are ignored. */
  async startControl(processId: string): Promise<void> {
    const { role } = this.options;
    const handlers = this.handlersOf(TAKEN_BY[role].control);
    const context = new BusContext(['control']);
    await this.bus.onControl({ role, processId }, (message) => {
      const handler = handlers.get(message.type);
      if (handler) void this.handleControl(handler, message, context);
    });
  }

  async stopConsuming(graceMs: number): Promise<void> {
    const consumers = [...this.consumers];
    this.consumers.clear();
    await Promise.all(consumers.map((consumer) => consumer.stop(graceMs)));
  }

  close(): Promise<void> {
    return this.stopConsuming(0);
  }

  /** Does nothing: `isConnected` of the bus reports the connection. */
  on(): void {}

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- Nest declares it so.
  unwrap<T>(): T {
    return this.bus as T;
  }

  private async handle(
    handler: MessageHandler,
    message: Message,
    delivery: Delivery,
    queue: string,
  ): Promise<DeliveryOutcome> {
    const outcome = await resolveResult(handler(message, new BusContext([queue, delivery])));
    return outcome === undefined ? 'ack' : (outcome as DeliveryOutcome);
  }

  private async handleControl(handler: MessageHandler, message: Message, context: BusContext): Promise<void> {
    try {
      await resolveResult(handler(message, context));
    } catch (error) {
      this.options.logger.error(
        { message_type: message.type, message_id: message.id, err: error },
        'control handler failed',
      );
    }
  }

  private handlersOf(types: readonly string[]): ReadonlyMap<string, MessageHandler> {
    return new Map(types.map((type) => [type, this.handlerOf(type)]));
  }

  private handlerOf(type: string): MessageHandler {
    const handler = this.messageHandlers.get(type);
    if (!handler) throw new BusSetupError(`the ${this.options.role} has no handler for ${type}`);
    return handler;
  }

  /** Keeps the consumer until it is stopped: toolsets come and go while a worker lives. */
  private keep(consumer: Consumer): Consumer {
    const kept: Consumer = {
      stop: (graceMs) => {
        this.consumers.delete(kept);
        return consumer.stop(graceMs);
      },
    };
    this.consumers.add(kept);
    return kept;
  }
}

function typesTakenBy(role: Role): Set<string> {
  const { queues, deadLetters, control } = TAKEN_BY[role];
  const queued = queues.flatMap((kind) => QUEUE_TYPES[kind]);
  return new Set<string>([...queued, ...control, ...(deadLetters ? [DEAD] : [])]);
}

/** A handler that throws does not reject: Nest resolves to an Observable that errors. */
async function resolveResult(result: Promise<unknown>): Promise<unknown> {
  const value = await result;
  return isObservable(value) ? lastValueFrom(value.pipe(defaultIfEmpty(undefined))) : value;
}
