import {
  ALL_WORKERS,
  controlKey,
  definitionIdOf,
  newMessage,
  type Body,
  type CatalogTool,
  type ToolChoice,
  type ToolsetOffer,
} from '#contracts';
import type { Bus } from '#messaging';
import { pollUntil, type Time } from '#time';
import {
  Catalogue,
  describeOffer,
  hasRequiredRole,
  LostWorkers,
  Offer,
  ROLL_CALL,
  type LostWorkersDeps,
} from '#tools';
import type { User } from '../people/auth/user.js';
import type { Roles } from '../people/roles.js';

/** An MCP server as it is configured, or a toolset of local tools. */
export interface OfferedServer {
  name: string;
  /** A living worker has tools of it. */
  isRunning: boolean;
  tools: CatalogTool[];
}

/** What the deployment says about offers. */
export interface OfferedRules {
  choice: ToolChoice;
  /** Absent: everybody may use everything. */
  access?: {
    roles: Pick<Roles, 'of'>;
    /** One of these roles is required to use the tool; undefined: none is. */
    rolesFor(toolName: string): readonly string[] | undefined;
  };
}

/** The offers of the living workers, as announced to this gateway, without the tools that the deployment withholds. */
export class OfferedTools {
  private readonly catalogue = new Catalogue();
  private readonly offer: Offer;
  /** Toolsets by the exact name of their server: all that a worker has ever hosted while this gateway runs. */
  private readonly servers = new Map<string, string>();
  private readonly listeners: (() => void)[] = [];
  private notifiedHash = '';
  private answered: Promise<void> = Promise.resolve();
  private readonly lost: LostWorkers;

  constructor(
    private readonly bus: Pick<Bus, 'send' | 'connectedForMs'>,
    private readonly processId: string,
    private readonly rules: OfferedRules,
    private readonly time: Time & Pick<LostWorkersDeps, 'peers'>,
  ) {
    this.offer = new Offer([{ by: 'deployment', choice: rules.choice }]);
    this.lost = new LostWorkers(this.catalogue, time, () => this.notifyListeners());
  }

  /** Asks every worker to announce itself now instead of within 10 s. */
  async callRoll(): Promise<void> {
    const message = newMessage(this.time, 'catalog.roll_call', { reply_to: controlKey(this.processId) });
    await Promise.all(ALL_WORKERS.map((key) => this.bus.send(key, message)));
    this.answered = pollUntil(this.time.clock, ROLL_CALL);
  }

  /** Resolves when every worker has had time to answer the last roll-call: a worker missing from the list is gone. */
  rollCalled(): Promise<void> {
    return this.answered;
  }

  announce({ worker, toolsets, servers = [] }: Body<'catalog.announce'>): void {
    this.catalogue.announce(worker, toolsets, this.time.clock.now());
    for (const { name, toolset } of servers) this.servers.set(name, toolset);
    for (const { server, name } of toolsets) this.servers.set(server, name);
    this.notifyListeners();
  }

  withdraw({ worker }: Body<'catalog.withdraw'>): void {
    this.catalogue.withdraw(worker);
    this.notifyListeners();
  }

  /** After every announcement, withdrawal or loss of a worker that changes the list. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  close(): void {
    this.lost.close();
  }

  /** Also those that need a role. */
  listAll(): CatalogTool[] {
    this.catalogue.expire(this.time.clock.now(), this.bus.connectedForMs());
    return this.offer.filter(this.catalogue.offered());
  }

  /** What this user may use. */
  async listFor(user: User): Promise<CatalogTool[]> {
    const roles = await this.rolesOf(user);
    return this.listAll().filter(({ name }) => this.isFor(name, roles));
  }

  /** Every server that this user may use, by name, also one that no living worker hosts. */
  async listServers(user: User): Promise<OfferedServer[]> {
    const [tools, mayUse] = await Promise.all([this.listFor(user), this.toolsetsFor(user)]);
    return [...this.servers]
      .filter(([, toolset]) => mayUse(toolset))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, toolset]) => ({
        name,
        isRunning: this.catalogue.workersOf(toolset) > 0,
        tools: tools.filter((tool) => tool.toolset === toolset),
      }));
  }

  /** Whether the user may use a tool of a toolset; if no worker offers it now, whether its own rule lets the user. */
  async toolsetsFor(user: User): Promise<(toolset: string) => boolean> {
    const roles = await this.rolesOf(user);
    const offered = new Map<string, boolean>();
    for (const { toolset, name } of this.listAll())
      offered.set(toolset, offered.get(toolset) === true || this.isFor(name, roles));
    return (toolset) => offered.get(toolset) ?? this.isFor(`${toolset}.`, roles);
  }

  private async rolesOf(user: User): Promise<string[]> {
    return (await this.rules.access?.roles.of(user)) ?? [];
  }

  private isFor(toolName: string, roles: readonly string[]): boolean {
    return hasRequiredRole(this.rules.access?.rolesFor(toolName), roles);
  }

  /** Toolsets that a worker has hosted while this gateway runs. */
  listToolsets(): string[] {
    return [...new Set(this.servers.values())];
  }

  /** Living workers that host the toolset. */
  workersOf(toolset: string): number {
    return this.catalogue.workersOf(toolset);
  }

  /** Undefined while no living worker hosts the toolset. */
  describe(toolset: string): ToolsetOffer | undefined {
    return describeOffer(this.catalogue.announcedAs(toolset));
  }

  /** Of the toolset, as its living workers announce them now. */
  announcedDefinitions(toolset: string): { id: string; tool: string }[] {
    const tools = this.catalogue.announcedAs(toolset).flatMap((announced) => announced.tools);
    return tools.map((tool) => ({ id: definitionIdOf(tool), tool: tool.name }));
  }

  private notifyListeners(): void {
    const { hash } = this.catalogue;
    if (hash === this.notifiedHash) return;
    this.notifiedHash = hash;
    for (const listener of this.listeners) listener();
  }
}
