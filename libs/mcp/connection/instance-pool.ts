import type { UserAccess } from '../access/user-access.js';
import { forOwner } from '../config/expand-variables.js';
import type { KeptConnectionSetup } from './kept-connection.js';
import { allBusy, unavailable } from './mcp-errors.js';
import { McpInstance, type ConnectionWork } from './mcp-instance.js';

/** A guess: it is unknown when a call of another user ends. */
const ALL_BUSY_RETRY_MS = 1000;

/** The processes or sessions of one server, by owner. */
export class InstancePool {
  /** Least recently used first. */
  private readonly instances = new Map<string, McpInstance>();
  private readonly closing = new Set<Promise<void>>();
  private isStopped = false;

  constructor(
    private readonly setup: KeptConnectionSetup,
    private readonly maxInstances: number,
    /** Of servers that act for a person. */
    private readonly accessOf?: (owner: string) => UserAccess,
  ) {}

  /** Throws `ApiLimitExceeded` when the limit is reached and none is idle, `DependencyUnavailable` after `stop`. */
  async use<T>(owner: string, signal: AbortSignal, work: ConnectionWork<T>): Promise<T> {
    if (this.isStopped) throw unavailable(this.setup.config.name);
    return this.instanceOf(owner).use(signal, work);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const owner of [...this.instances.keys()]) this.close(owner);
    await Promise.all(this.closing);
  }

  private instanceOf(owner: string): McpInstance {
    const instance = this.instances.get(owner) ?? this.add(owner);
    this.instances.delete(owner);
    this.instances.set(owner, instance);
    return instance;
  }

  private add(owner: string): McpInstance {
    if (this.instances.size >= this.maxInstances) this.makeRoom();
    const access = this.accessOf?.(owner);
    const setup = { ...this.setup, config: forOwner(this.setup.config, owner), access };
    const instance: McpInstance = new McpInstance(setup, () => {
      if (this.instances.get(owner) === instance) this.close(owner);
    });
    return instance;
  }

  private makeRoom(): void {
    for (const [owner, instance] of this.instances) {
      if (!instance.isBusy) return this.close(owner);
    }
    throw allBusy(this.setup.config.name, ALL_BUSY_RETRY_MS);
  }

  private close(owner: string): void {
    const instance = this.instances.get(owner);
    this.instances.delete(owner);
    if (!instance) return;
    const closed: Promise<void> = instance.close().finally(() => this.closing.delete(closed));
    this.closing.add(closed);
  }
}
