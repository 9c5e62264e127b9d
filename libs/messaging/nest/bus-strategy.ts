import type { INestApplication, INestMicroservice } from '@nestjs/common';
import {
  Server,
  type CustomTransportStrategy,
  type MessageHandler,
  type NestMicroservice,
} from '@nestjs/microservices';
import { defaultIfEmpty, isObservable, lastValueFrom } from 'rxjs';
import { bodySchemas, QUEUE_TYPES, type Message, type QueueKind, type Role } from '#contracts';
import { BusSetupError } from '../bus-errors.js';
import { silentLogger, type BusLogger } from '../bus-logger.js';
import type { Bus, Consumer, DeadDelivery, Delivery, DeliveryOutcome } from '../bus.port.js';
import { dispatchTo, type Handlers, type TypeOf } from '../handlers.js';
import { kindOfQueue } from '../topology.js';
import { BusContext } from './bus-context.js';
import { OriginalErrorFilter } from './original-error.filter.js';

const deadPattern = 'dead';

export interface BusStrategyOptions {
  /** Takes handlers of this role only (and those without a role): for processes that play several. */
  role?: Role;
  logger?: BusLogger;
}

/**
 * Nest transport on top of a `Bus`. Handlers are controller methods with `@MessagePattern('<message type>')` or
 * `'dead'`; they get the message (or `DeadDelivery`) and a `BusContext`, and return a `DeliveryOutcome` or nothing
 * (`ack`); what they throw rejects. Nothing is consumed before `start…` is called. The bus is opened and closed by
 * who made it.
 */
export class BusStrategy extends Server implements CustomTransportStrategy {
  readonly #consumers = new Set<Consumer>();
  readonly #twice: string[] = [];
  readonly #log: BusLogger;

  constructor(
    private readonly bus: Bus,
    options: BusStrategyOptions = {},
  ) {
    super();
    this.#log = options.logger ?? silentLogger;
    if (options.role) this.setTransportId(roleTransport(options.role));
  }

  override addHandler(pattern: unknown, callback: MessageHandler, isEventHandler = false, extras = {}): void {
    const type = this.normalizePattern(pattern as string);
    if (this.messageHandlers.has(type) || isEventHandler) this.#twice.push(type);
    super.addHandler(pattern, callback, isEventHandler, extras);
  }

  /** Fails when a handler is for no message type, or when a type has two. */
  listen(callback: (error?: Error) => void): void {
    const unknown = [...this.messageHandlers.keys()].filter(
      (type) => type !== deadPattern && !(type in bodySchemas),
    );
    const wrong = [
      ...unknown.map((type) => `there is no message type ${type}`),
      ...this.#twice.map((type) => `${type} needs exactly one @MessagePattern handler`),
    ];
    callback(wrong.length > 0 ? new BusSetupError(wrong.join('; ')) : undefined);
  }

  /** Throws `BusSetupError` when a type that the queue carries has no handler. */
  async startConsuming(queue: string, options: { prefetch: number }): Promise<Consumer> {
    const kind = kindOfQueue(queue);
    if (!kind) throw new BusSetupError(`there is no queue ${queue}`);
    const handler = dispatchTo(this.#handlersOf(kind, queue));
    return this.#keep(await this.bus.consume(queue, options, handler));
  }

  async startDead(): Promise<Consumer> {
    const handler = this.#findHandler(deadPattern, 'dead-letters');
    const store = async (dead: DeadDelivery): Promise<void> => {
      await resolveResult(handler(dead, new BusContext(['dead-letters'])));
    };
    return this.#keep(await this.bus.consumeDead(store));
  }

  /** `types`: those that this role listens to; each needs a handler, the others are ignored. */
  async startControl(
    identity: { role: Role; processId: string },
    types: readonly TypeOf<'control'>[],
  ): Promise<void> {
    const handlers = new Map(
      types.map((type): [string, MessageHandler] => [type, this.#findHandler(type, 'control')]),
    );
    const context = new BusContext(['control']);
    await this.bus.onControl(identity, (message) => {
      const handler = handlers.get(message.type);
      if (handler) void this.#handleControl(handler, message, context);
    });
  }

  async stopConsuming(graceMs: number): Promise<void> {
    const consumers = [...this.#consumers];
    this.#consumers.clear();
    await Promise.all(consumers.map((consumer) => consumer.stop(graceMs)));
  }

  close(): Promise<void> {
    return this.stopConsuming(0);
  }

  /** The bus tells of its connection by `isConnected`. */
  on(): void {}

  unwrap<T>(): T {
    return this.bus as T;
  }

  #handlersOf<K extends QueueKind>(kind: K, queue: string): Handlers<K> {
    const entries = QUEUE_TYPES[kind].map((type) => {
      const handler = this.#findHandler(type, queue);
      return [
        type,
        (message: Message, delivery: Delivery) => this.#handle(handler, message, delivery, queue),
      ];
    });
    return Object.fromEntries(entries) as Handlers<K>;
  }

  async #handle(
    handler: MessageHandler,
    message: Message,
    delivery: Delivery,
    queue: string,
  ): Promise<DeliveryOutcome> {
    const outcome = await resolveResult(handler(message, new BusContext([queue, delivery])));
    return outcome === undefined ? 'ack' : (outcome as DeliveryOutcome);
  }

  async #handleControl(handler: MessageHandler, message: Message, context: BusContext): Promise<void> {
    try {
      await resolveResult(handler(message, context));
    } catch (error) {
      this.#log.error(
        { message_type: message.type, message_id: message.id, err: error },
        'control handler failed',
      );
    }
  }

  #findHandler(type: string, queue: string): MessageHandler {
    const handler = this.messageHandlers.get(type);
    if (!handler) throw new BusSetupError(`${queue} carries ${type}, which has no @MessagePattern handler`);
    return handler;
  }

  /** Until it is stopped: toolsets come and go for as long as a worker lives. */
  #keep(consumer: Consumer): Consumer {
    const kept: Consumer = {
      stop: (graceMs) => {
        this.#consumers.delete(kept);
        return consumer.stop(graceMs);
      },
    };
    this.#consumers.add(kept);
    return kept;
  }
}

/** Second argument of `@MessagePattern` for a handler of one role in a process that plays several. */
export function roleTransport(role: Role): symbol {
  return Symbol.for(`switchyard.${role}`);
}

/** Adds the bus to an application, with the filter without which handlers' errors would be lost. */
export function connectBus(app: INestApplication, strategy: BusStrategy): INestMicroservice {
  // Nest binds filters when it registers handlers, so that is put off until the filter is there.
  const microservice = app.connectMicroservice(
    { strategy },
    { deferInitialization: true },
  ) as NestMicroservice;
  microservice.useGlobalFilters(new OriginalErrorFilter());
  microservice.registerListeners();
  microservice.setIsInitialized(true);
  microservice.setIsInitHookCalled(true);
  return microservice;
}

/** A handler that throws does not reject: Nest resolves to an Observable that errors. */
async function resolveResult(result: Promise<unknown>): Promise<unknown> {
  const value = await result;
  return isObservable(value) ? lastValueFrom(value.pipe(defaultIfEmpty(undefined))) : value;
}
