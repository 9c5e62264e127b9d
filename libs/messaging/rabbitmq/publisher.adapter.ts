import type { ConfirmChannel, Message as AmqpMessage, Options } from 'amqplib';
import { encodeMessage, type Message } from '#contracts';
import type { BusLogger } from '../port/bus-logger.js';
import type { PublishOutcome } from '../port/bus.port.js';
import { textOf } from './broker-error.js';
import { SupervisedChannel } from './channel.adapter.js';
import type { SupervisedConnection } from './connection.adapter.js';
import type { Route, Routes } from './routes.adapter.js';
import { declareExchanges } from './topology.adapter.js';

const CONFIRM_TIMEOUT_MS = 5_000;
/**
 * The limit on unconfirmed messages; further ones are refused. A broker that stopped reading must not fill its
 * publishers' memory.
 */
const MAX_UNCONFIRMED = 20_000;

/** Publishes mandatory messages and reports the outcome of each. Nothing is kept for later. */
export class Publisher {
  private readonly channel: SupervisedChannel<ConfirmChannel>;
  /**
   * Returned messages whose confirm is still to come, counted by key and message id. The return always comes before the
   * confirm.
   */
  private returned = new Map<string, number>();
  private unconfirmed = 0;
  private silent = false;
  /** Exchanges that were declared on this channel. */
  private declared = new Map<string, Promise<boolean>>();

  constructor(
    private readonly connection: SupervisedConnection,
    private readonly routes: Routes,
    private readonly logger: BusLogger,
  ) {
    this.channel = new SupervisedChannel(connection, {
      name: 'publishing',
      open: (model) => model.createConfirmChannel(),
      setUp: async (channel, model) => {
        this.silent = false;
        channel.on('return', (message) => this.noteReturn(message));
        await routes.declare(model, logger);
      },
      onLost: () => {
        this.returned = new Map();
        this.declared = new Map();
      },
      logger,
    });
  }

  /** Resolves after one attempt. */
  start(): Promise<void> {
    return this.channel.build();
  }

  get isReady(): boolean {
    return this.channel.current !== undefined;
  }

  get lastError(): unknown {
    return this.channel.lastError;
  }

  /** True while no queue can take messages: the broker blocks publishers, or too many messages are unconfirmed. */
  get isStalled(): boolean {
    return this.connection.isBlocked || this.unconfirmed >= MAX_UNCONFIRMED;
  }

  /**
   * True when the broker did not answer the latest publish that came due: it is unreachable without having closed the
   * connection.
   */
  get isSilent(): boolean {
    return this.silent;
  }

  /** Resolves within 5 s; never rejects. */
  async publish(route: Route, message: Message): Promise<PublishOutcome> {
    const { exchange, key, persistent, expiration } = route;
    // Publishing to an exchange that does not exist closes the channel.
    if (this.routes.mayBeMissing(route) && !(await this.declareOnce(exchange))) return 'unknown';
    const properties = { messageId: message.id, persistent, ...(expiration && { expiration }) };
    return this.publishBytes(exchange, key, encodeMessage(message), properties);
  }

  /** The same for raw bytes. */
  publishBytes(
    exchange: string,
    key: string,
    content: Buffer,
    properties: {
      messageId: string;
      persistent: boolean;
      expiration?: number;
      headers?: Record<string, string>;
    },
  ): Promise<PublishOutcome> {
    const { messageId } = properties;
    const channel = this.channel.current;
    if (!channel) return Promise.resolve('unknown');
    if (this.isStalled) return Promise.resolve('refused');
    return new Promise((resolve) => {
      const timer = this.connection.time.clock.after(CONFIRM_TIMEOUT_MS, () => {
        this.silent = this.channel.current === channel;
        resolve('unknown');
      });
      const onAnswer = (error: unknown): void => {
        this.unconfirmed--;
        this.silent = false;
        timer.cancel();
        // `unknown` when the channel is gone: only on a living channel does an answer come from the broker.
        resolve(this.channel.current === channel ? this.outcomeOf(error, key, messageId) : 'unknown');
      };
      this.unconfirmed++;
      try {
        const options: Options.Publish = {
          mandatory: true,
          ...properties,
          contentType: 'application/json',
        };
        channel.publish(exchange, key, content, options, onAnswer);
      } catch (error) {
        this.logger.warn({ key, message_id: messageId, reason: textOf(error) }, 'sending a message failed');
        onAnswer(error);
      }
    });
  }

  private declareOnce(exchange: string): Promise<boolean> {
    const { model } = this.connection;
    if (!model) return Promise.resolve(false);
    const declaring =
      this.declared.get(exchange) ??
      declareExchanges(model, [exchange], this.logger).then(
        () => true,
        () => (this.declared.delete(exchange), false),
      );
    this.declared.set(exchange, declaring);
    return declaring;
  }

  private outcomeOf(error: unknown, key: string, messageId: string): PublishOutcome {
    if (error !== null) return 'refused';
    if (this.returned.size === 0) return 'confirmed';
    return this.takeReturn(returnKey(key, messageId)) ? 'returned' : 'confirmed';
  }

  private noteReturn({ fields, properties }: AmqpMessage): void {
    const key = returnKey(fields.routingKey, String(properties.messageId));
    this.returned.set(key, (this.returned.get(key) ?? 0) + 1);
  }

  private takeReturn(key: string): boolean {
    const count = this.returned.get(key);
    if (count === undefined) return false;
    if (count > 1) this.returned.set(key, count - 1);
    else this.returned.delete(key);
    return true;
  }
}

function returnKey(routingKey: string, messageId: string): string {
  return `${routingKey} ${messageId}`;
}
