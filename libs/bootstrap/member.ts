import type { Role } from '#contracts';
import type { Bus } from '#messaging';
import type { Logger } from '#observability';
import type { Store } from '#store';
import { Heartbeat } from './heartbeat.js';
import { Peers } from './peers.js';
import { createProcessId } from './process-identity.js';

export interface MemberOptions {
  role: Role;
  store: Store;
  createBus: (identity: { role: Role; processId: string }) => Bus;
  logger: Logger;
  /** Others count this process as dead; it must exit. */
  onGone: () => void;
}

/** One process's part in the fleet: its name, its row, its bus, and what it knows of the others. */
export class Member {
  readonly processId: string;
  readonly bus: Bus;
  readonly peers: Peers;
  private readonly heartbeat: Heartbeat;

  constructor({ role, store, createBus, logger, onGone }: MemberOptions) {
    this.processId = createProcessId(role);
    this.bus = createBus({ role, processId: this.processId });
    const { processId } = this;
    this.heartbeat = new Heartbeat({
      store,
      role,
      processId,
      logger,
      onGone,
      onRound: () => void this.peers.readRound(),
    });
    const own = () => this.heartbeat.own();
    this.peers = new Peers({ store, bus: this.bus, ownIds: [processId], own, logger });
  }

  /** The row first: a claim whose owner has no row would be a dead process's. */
  async start(): Promise<void> {
    await this.heartbeat.start();
    await this.bus.open();
  }

  /** Removes the row, which tells everybody that this process is dead. */
  leave(): Promise<void> {
    return this.heartbeat.leave();
  }
}
