import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { settledWithin } from '#time';
import type { BusLogger } from '../port/bus-logger.js';
import type { BusObserver } from '../port/bus-observer.js';
import type { Consumer } from '../port/bus.port.js';
import type { Verdict } from '../port/deliver.js';
import { Hold } from '../port/hold.js';
import { SupervisedChannel } from './channel.adapter.js';
import type { SupervisedConnection } from './connection.adapter.js';

const CANCEL_TIMEOUT_MS = 2_000;

export interface QueueConsumerOptions {
  connection: SupervisedConnection;
  queue: string;
  prefetch: number;
  /** Makes sure that the queue exists. Called again whenever the consumer is rebuilt. */
  declare(model: ChannelModel): Promise<void>;
  /** Must not reject. */
  handle(message: ConsumeMessage, hold: Hold): Promise<Verdict>;
  logger: BusLogger;
  observer: BusObserver;
}

/** Consumes one queue on a separate channel. A delivery is settled on its own channel or not at all. */
export class QueueConsumer implements Consumer {
  private readonly channel: SupervisedChannel;
  private readonly holds = new Set<Hold>();
  private readonly running = new Set<Promise<void>>();
  private consumerTag = '';

  constructor(private readonly options: QueueConsumerOptions) {
    this.channel = new SupervisedChannel(options.connection, {
      name: `consuming ${options.queue}`,
      open: (model) => model.createChannel(),
      setUp: (channel, model) => this.setUp(channel, model),
      onLost: () => this.loseAll(),
      logger: options.logger,
    });
  }

  /** Resolves when messages flow, or at once while disconnected. */
  start(): Promise<void> {
    return this.channel.build();
  }

  async stop(graceMs: number): Promise<void> {
    const { clock } = this.options.connection.time;
    this.channel.retire();
    const channel = this.channel.current;
    if (channel) await settledWithin(clock, channel.cancel(this.consumerTag), CANCEL_TIMEOUT_MS);
    await settledWithin(clock, Promise.all(this.running), graceMs);
    await this.channel.close();
  }

  private async setUp(channel: Channel, model: ChannelModel): Promise<void> {
    await this.options.declare(model);
    await channel.prefetch(this.options.prefetch);
    const { consumerTag } = await channel.consume(this.options.queue, (message) =>
      this.receive(channel, message),
    );
    if (this.consumerTag !== '') this.options.observer.consumerRebuilt(this.options.queue);
    this.consumerTag = consumerTag;
  }

  private receive(channel: Channel, message: ConsumeMessage | null): void {
    if (message === null) {
      this.options.logger.warn({ queue: this.options.queue }, 'queue deleted, rebuilding its consumer');
      this.channel.rebuild(channel);
      return;
    }
    const hold = new Hold();
    this.holds.add(hold);
    const running = this.options.handle(message, hold).then((verdict) => {
      this.holds.delete(hold);
      this.running.delete(running);
      if (!hold.isLost) settle(channel, message, verdict);
    });
    this.running.add(running);
  }

  private loseAll(): void {
    const holds = [...this.holds];
    this.holds.clear();
    for (const hold of holds) hold.lose();
  }
}

function settle(channel: Channel, message: ConsumeMessage, verdict: Verdict): void {
  try {
    if (verdict === 'ack') channel.ack(message);
    else channel.reject(message, false);
  } catch {
    // The channel has just begun to close: the broker delivers the message again.
  }
}
