import { untilAborted, type Timer } from '#time';
import { Slots, type Slot } from '#tools';
import { KeptConnection, type KeptConnectionSetup } from './kept-connection.js';
import type { McpConnection } from './mcp-connection.js';
import { isConnectionError } from './mcp-errors.js';

/** Runs on a connection, in a slot of its own. */
export type ConnectionWork<T> = (connection: McpConnection, slot: Slot) => Promise<T>;

/** One process or session, started by the first call that needs it; asks to be closed when no call has used it for a while. */
export class McpInstance {
  private users = 0;
  private idleTimer: Timer | undefined;
  private isClosed = false;
  private readonly kept: KeptConnection;
  private readonly slots: Slots;

  constructor(
    private readonly setup: KeptConnectionSetup,
    private readonly onIdle: () => void,
  ) {
    this.kept = new KeptConnection(setup);
    this.slots = new Slots(setup.config.concurrency);
  }

  get isBusy(): boolean {
    return this.users > 0;
  }

  /** Throws `DependencyUnavailable` when there is no connection and none can be made now. */
  async use<T>(signal: AbortSignal, work: ConnectionWork<T>): Promise<T> {
    this.users++;
    this.idleTimer?.cancel();
    try {
      return await this.slots.use((slot) => this.run(signal, slot, work), signal);
    } finally {
      this.users--;
      if (this.users === 0 && !this.isClosed) {
        const { clock, config } = this.setup;
        this.idleTimer = clock.after(config.idleMs, this.onIdle, { unref: true });
      }
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.idleTimer?.cancel();
    await this.kept.close();
  }

  private async run<T>(signal: AbortSignal, slot: Slot, work: ConnectionWork<T>): Promise<T> {
    const connection = await untilAborted(this.kept.open(), signal);
    try {
      return await work(connection, slot);
    } catch (error) {
      // A child process ends visibly; an HTTP server cannot tell that it has forgotten the session.
      if ('url' in this.setup.config && isConnectionError(error)) this.kept.drop(connection);
      throw error;
    }
  }
}
