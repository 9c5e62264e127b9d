import type { Channel } from 'amqplib';
import type { ConversationEvent } from '#contracts';
import type { BusLogger } from '../port/bus-logger.js';
import { encodeEvent } from '../port/event-codec.js';
import { eventExchange, exchanges } from '../port/topology.js';
import { textOf } from './broker-error.js';
import { SupervisedChannel } from './channel.adapter.js';
import type { SupervisedConnection } from './connection.adapter.js';
import { declareExchanges } from './topology.adapter.js';

/** The limit on events that wait for the socket; further events are dropped. */
const MAX_WAITING = 32_768;

/** Fire and forget: viewers detect gaps by themselves. */
export class EventEmitter {
  private readonly channel: SupervisedChannel;
  private isFull = false;

  constructor(
    private readonly connection: SupervisedConnection,
    private readonly logger: BusLogger,
  ) {
    this.channel = new SupervisedChannel(connection, {
      name: 'emitting',
      open: (model) => model.createChannel({ highWaterMark: MAX_WAITING }),
      setUp: async (channel, model) => {
        this.isFull = false;
        channel.on('drain', () => (this.isFull = false));
        await declareExchanges(model, exchanges.events, logger);
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

  emit(event: ConversationEvent): void {
    const channel = this.channel.current;
    if (!channel || this.isFull || this.connection.isBlocked) return;
    const conversationId = event.conversation_id;
    try {
      this.send(channel, conversationId, encodeEvent(event));
    } catch (error) {
      this.logger.warn({ conversation_id: conversationId, reason: textOf(error) }, 'sending an event failed');
    }
  }

  private send(channel: Channel, conversationId: string, content: Buffer): void {
    if (channel.publish(eventExchange(conversationId), conversationId, content)) return;
    this.isFull = true;
    this.logger.warn({ waiting: MAX_WAITING }, 'broker reads too slowly, events dropped');
  }
}
