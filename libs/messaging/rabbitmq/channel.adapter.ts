import type { Channel, ChannelModel } from 'amqplib';
import { backOffMs, settledWithin, within, type Clock, type Timer } from '#time';
import { RECONNECT_BACK_OFF } from '../port/reconnect-back-off.js';
import type { BusLogger } from '../port/bus-logger.js';
import type { Rebuildable, SupervisedConnection } from './connection.adapter.js';

const CLOSE_TIMEOUT_MS = 2_000;
/** A leaderless queue never answers; it must not hold up other work. */
const SET_UP_TIMEOUT_MS = 20_000;

export interface ChannelOptions<C extends Channel> {
  /** Named in the log. */
  name: string;
  open(model: ChannelModel): Promise<C>;
  /** Declares what the channel needs and starts its consumers. */
  setUp(channel: C, model: ChannelModel): Promise<void>;
  /** Called when the channel is lost, before any other listener. */
  onLost?(): void;
  logger: BusLogger;
}

/** A channel that is rebuilt when it closes, and whenever its connection comes back. */
export class SupervisedChannel<C extends Channel = Channel> implements Rebuildable {
  private channel?: C;
  private isReady = false;
  private isClosed = false;
  private failures = 0;
  private retry?: Timer;
  private building?: Promise<void>;
  private failure?: unknown;

  constructor(
    private readonly connection: SupervisedConnection,
    private readonly options: ChannelOptions<C>,
  ) {
    connection.attach(this);
  }

  /** Undefined until a channel is set up. */
  get current(): C | undefined {
    return this.isReady ? this.channel : undefined;
  }

  /** Why the last attempt failed. */
  get lastError(): unknown {
    return this.failure;
  }

  /** Resolves after one attempt; never rejects. */
  build(): Promise<void> {
    this.building ??= this.tryToBuild().finally(() => (this.building = undefined));
    return this.building;
  }

  /** Gives up this channel, for example because the broker cancelled its consumer, and opens another. */
  rebuild(channel: C): void {
    this.forget(channel);
    void closeQuietly(channel, this.connection.time.clock);
  }

  /** Stops opening new channels; the present one stays usable. */
  retire(): void {
    this.isClosed = true;
    this.retry?.cancel();
    this.connection.detach(this);
  }

  async close(): Promise<void> {
    this.retire();
    const channel = this.channel;
    if (!channel) return;
    this.forget(channel);
    await closeQuietly(channel, this.connection.time.clock);
  }

  private async tryToBuild(): Promise<void> {
    const { model } = this.connection;
    if (!model || this.isClosed || this.channel) return;
    try {
      const channel = await this.open(model);
      await within(this.connection.time.clock, this.options.setUp(channel, model), SET_UP_TIMEOUT_MS);
      if (this.channel !== channel) return;
      this.isReady = true;
      this.failures = 0;
      this.failure = undefined;
    } catch (error) {
      this.failure = error;
      this.giveUp(error);
    }
  }

  private async open(model: ChannelModel): Promise<C> {
    const channel = await this.options.open(model);
    channel.on('error', (error) => {
      const reason = this.connection.explain(error);
      this.options.logger.warn({ channel: this.options.name, reason }, 'channel failed');
    });
    // Registered before amqplib's own listener, which ends pending calls: their callers must then see that the channel
    // is gone.
    channel.prependListener('close', () => this.forget(channel));
    this.channel = channel;
    // A `close()` during set-up found no channel to close.
    if (this.isClosed) await this.close();
    return channel;
  }

  private giveUp(error: unknown): void {
    if (this.isClosed) return;
    const reason = this.connection.explain(error);
    this.options.logger.warn({ channel: this.options.name, reason }, 'channel setup failed');
    if (this.channel) this.rebuild(this.channel);
    else this.buildLater();
  }

  private forget(channel: C): void {
    if (this.channel !== channel) return;
    this.channel = undefined;
    this.isReady = false;
    this.options.onLost?.();
    this.buildLater();
  }

  private buildLater(): void {
    if (this.isClosed) return;
    this.retry?.cancel();
    const { clock, random } = this.connection.time;
    const delayMs = backOffMs(this.failures++, RECONNECT_BACK_OFF, random);
    this.retry = clock.after(delayMs, () => void this.build());
  }
}

async function closeQuietly(channel: Channel, clock: Clock): Promise<void> {
  // amqplib never answers `close()` when the connection breaks at that moment; the event comes in any case.
  const closed = new Promise((resolve) => channel.once('close', resolve));
  await settledWithin(clock, Promise.race([closed, channel.close()]), CLOSE_TIMEOUT_MS);
}
