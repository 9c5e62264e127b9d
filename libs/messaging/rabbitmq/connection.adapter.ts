import type { Duplex } from 'node:stream';
import { connect, type ChannelModel } from 'amqplib';
import { backOffMs, settledWithin, type Timer, type Time } from '#time';
import { RECONNECT_BACK_OFF } from '../port/reconnect-back-off.js';
import type { BusLogger } from '../port/bus-logger.js';
import { codeOf, explainToGroup, textOf } from './broker-error.js';
import type { BrokerUrl } from './broker-url.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** A process that was connected has waiting work, so it retries with a short timeout. */
const RECONNECT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
const STABLE_AFTER_MS = 10_000;
/** A refused attempt costs nothing, so a returning broker is found quickly: one attempt every 200 to 400 ms. */
const REFUSED_BACK_OFF = 2;

/** A channel that is opened again on every new connection. */
export interface Rebuildable {
  /** Never rejects. */
  build(): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectionOptions extends Time {
  url: BrokerUrl;
  /** The process and purpose, as the broker shows them. */
  name: string;
  logger: BusLogger;
  onReconnect: () => void;
  /** The group of a worker with credentials of its own. */
  group?: string;
}

/** One connection to the broker. It reconnects by itself, with back-off, until it is closed. */
export class SupervisedConnection {
  private channelModel?: ChannelModel;
  private connectionId = '';
  private connectedSince?: number;
  private blocked = false;
  private isClosed = false;
  private failures = 0;
  /** The last attempt was refused; this is logged once, not three times a second. */
  private isRefused = false;
  private retry?: Timer;
  private readonly channels = new Set<Rebuildable>();

  constructor(private readonly options: ConnectionOptions) {}

  get time(): Time {
    return this.options;
  }

  /** Undefined while disconnected. */
  get model(): ChannelModel | undefined {
    return this.channelModel;
  }

  /** Why a channel failed, for the log. */
  explain(error: unknown): string {
    const { group } = this.options;
    return group === undefined ? textOf(error) : explainToGroup(group, error);
  }

  /** Different for every connection that this object makes. */
  get id(): string {
    return this.connectionId;
  }

  /** When it connected, by `Clock.now`; undefined while disconnected. */
  get upSince(): number | undefined {
    return this.connectedSince;
  }

  /** True while the broker is out of memory or disk and does not read from publishing connections. */
  get isBlocked(): boolean {
    return this.blocked;
  }

  attach(channel: Rebuildable): void {
    this.channels.add(channel);
  }

  detach(channel: Rebuildable): void {
    this.channels.delete(channel);
  }

  /** Makes the first attempt and rejects with the broker's error. After success the connection is kept up. */
  async open(): Promise<void> {
    await this.connect(CONNECT_TIMEOUT_MS);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.retry?.cancel();
    // Channels first: closing the connection would overtake acknowledgements that wait in a channel's buffer.
    await Promise.all([...this.channels].map((channel) => channel.close()));
    const model = this.channelModel;
    if (!model) return;
    await settledWithin(this.options.clock, model.close(), CLOSE_TIMEOUT_MS);
    // Also ends calls that still wait for an answer.
    if (this.channelModel === model) socketOf(model).destroy(new Error('connection given up'));
  }

  /** Breaks the connection as a network failure does, without telling the broker; it then reconnects. */
  drop(): void {
    if (this.channelModel) socketOf(this.channelModel).destroy(new Error('connection dropped'));
  }

  private async connect(timeout: number): Promise<void> {
    const { url, name } = this.options;
    const model = await connect(url.href, {
      noDelay: true,
      keepAlive: true,
      timeout,
      clientProperties: { connection_name: name },
    });
    this.watch(model);
    if (this.isClosed) {
      await settledWithin(this.options.clock, model.close(), CLOSE_TIMEOUT_MS);
      return;
    }
    this.channelModel = model;
    this.connectionId = this.options.random.id().slice(0, 8);
    this.connectedSince = this.options.clock.now();
    // Not awaited: one queue that cannot be consumed must not make the connection useless.
    for (const channel of this.channels) void channel.build();
    this.options.logger.info({ connection: name }, 'connected to RabbitMQ');
  }

  private watch(model: ChannelModel): void {
    const { logger, name } = this.options;
    // `close` follows and is handled, but an error event without a listener would end the process.
    model.on('error', () => undefined);
    model.on('close', (error) => this.onClose(model, error));
    model.on('blocked', (reason) => {
      this.blocked = true;
      logger.warn({ connection: name, reason }, 'RabbitMQ is blocking publishers');
    });
    model.on('unblocked', () => {
      this.blocked = false;
      logger.info({ connection: name }, 'RabbitMQ accepts messages again');
    });
  }

  private onClose(model: ChannelModel, error?: Error): void {
    if (this.channelModel !== model) return;
    // Back off for short-lived connections too, so that they are not retried at full speed.
    if (this.options.clock.now() - (this.connectedSince ?? 0) > STABLE_AFTER_MS) this.failures = 0;
    this.channelModel = undefined;
    this.connectedSince = undefined;
    this.blocked = false;
    if (this.isClosed) return;
    this.destroyLater(model);
    this.options.logger.warn(
      { connection: this.options.name, reason: error?.message },
      'connection to RabbitMQ lost',
    );
    this.isRefused = false;
    this.reconnectLater(this.failures++);
  }

  private reconnectLater(failures: number): void {
    const { clock, random } = this.options;
    this.retry = clock.after(backOffMs(failures, RECONNECT_BACK_OFF, random), () => void this.reconnect());
  }

  /** A frozen peer never answers the end of our stream: its socket would outlive the connection. */
  private destroyLater(model: ChannelModel): void {
    this.options.clock.after(CLOSE_TIMEOUT_MS, () => socketOf(model).destroy(), { unref: true });
  }

  private async reconnect(): Promise<void> {
    try {
      await this.connect(RECONNECT_TIMEOUT_MS);
      if (this.channelModel) this.options.onReconnect();
    } catch (error) {
      if (this.isClosed) return;
      const wasRefused = this.isRefused;
      this.isRefused = codeOf(error) === 'ECONNREFUSED';
      if (!wasRefused || !this.isRefused) {
        const { name } = this.options;
        this.options.logger.warn({ connection: name, reason: textOf(error) }, 'RabbitMQ is not reachable');
      }
      this.reconnectLater(this.isRefused ? REFUSED_BACK_OFF : this.failures++);
    }
  }
}

/** amqplib ends its socket and never destroys it. */
export function socketOf(model: ChannelModel): Duplex {
  return (model.connection as unknown as { stream: Duplex }).stream;
}
