import { LRUCache } from 'lru-cache';
import type { Body, Catalog, ToolChoice } from '#contracts';
import { ALL_WORKERS, controlKey, newMessage } from '#contracts';
import { pollUntil, type Timer } from '#time';
import { Catalogue, DefinitionWatch, findUnknownEntries, LostWorkers, ROLL_CALL } from '#tools';
import type { OrchestratorDeps } from '../deps/orchestrator.deps.js';
import { DefinitionJudge } from './definition-judge.js';
import { GroupToolsets } from './group-toolsets.js';
import { SchemaLosses } from './schema-losses.js';
import { ScopedToolsets } from './scoped-toolsets.js';
import { findUnknownNames, withoutAbsentToolsets } from './unknown-names.js';

/** After this long without a new answer, the roll-call counts as complete. */
const QUIET_MS = 150;
const EXPIRY_MS = 1_000;
/** Running turns use few catalogues; an evicted one is read again. */
const MAX_KNOWN = 100;

/** The tools that workers offer now, and the catalogues that turns have pinned. */
export class CatalogueService {
  private readonly catalogue = new Catalogue();
  private readonly definitions = new DefinitionWatch();
  private readonly judge: DefinitionJudge;
  private readonly pinned = new LRUCache<string, Catalog>({ max: MAX_KNOWN });
  private readonly expiry: Timer;
  private readonly lost: LostWorkers;
  private lastAnnouncedAt = 0;
  private readonly scoped: ScopedToolsets;
  private readonly groups: GroupToolsets;
  private readonly losses: SchemaLosses;
  private lastHash: string | undefined;

  constructor(
    private readonly deps: Pick<
      OrchestratorDeps,
      | 'store'
      | 'bus'
      | 'processId'
      | 'log'
      | 'auditLog'
      | 'auditTrail'
      | 'metrics'
      | 'settings'
      | 'clock'
      | 'random'
      | 'peers'
    >,
  ) {
    this.scoped = new ScopedToolsets(deps);
    this.groups = new GroupToolsets(deps.settings.groups, deps.log);
    this.judge = new DefinitionJudge(deps);
    const providers = deps.settings.providers.map(({ provider }) => provider);
    this.losses = new SchemaLosses(deps.log, providers);
    const { bus, clock } = deps;
    const expire = () => this.catalogue.expire(clock.now(), bus.connectedForMs());
    this.expiry = clock.every(EXPIRY_MS, expire, { unref: true });
    this.lost = new LostWorkers(this.catalogue, deps);
  }

  announce({ worker, toolsets }: Body<'catalog.announce'>): void {
    this.lastAnnouncedAt = this.deps.clock.now();
    this.catalogue.announce(worker, toolsets, this.lastAnnouncedAt);
    this.scoped.check(this.catalogue);
    this.groups.check(this.catalogue);
    this.checkLosses();
    for (const change of this.definitions.note(toolsets)) {
      this.deps.metrics.toolDefinitionChanges.inc({ toolset: change.toolset });
      this.deps.log.warn({ ...change, worker }, 'tool definition changed within the same version');
    }
    this.judge.note(toolsets, worker);
  }

  withdraw({ worker }: Body<'catalog.withdraw'>): void {
    this.catalogue.withdraw(worker);
  }

  /** Asks every worker for its tools. Resolves when no more answers come, after at most a second. */
  async rollCall(): Promise<void> {
    const { clock, bus, processId } = this.deps;
    const startedAt = clock.now();
    const message = newMessage(this.deps, 'catalog.roll_call', { reply_to: controlKey(processId) });
    const sent = await Promise.all(ALL_WORKERS.map((key) => bus.send(key, message)));
    if (!sent.includes('confirmed')) return;
    const isQuiet = () => this.lastAnnouncedAt > startedAt && clock.now() - this.lastAnnouncedAt > QUIET_MS;
    await pollUntil(clock, ROLL_CALL, isQuiet);
  }

  /** Stores the current catalogue for a turn that begins. */
  async pin(): Promise<Catalog> {
    const { hash } = this.catalogue;
    const known = this.pinned.get(hash);
    if (known) return known;
    const catalog: Catalog = { _id: hash, tools: this.catalogue.offered() };
    await this.deps.store.putCatalog(catalog);
    this.pinned.set(catalog._id, catalog);
    return catalog;
  }

  async get(hash: string): Promise<Catalog | null> {
    const known = this.pinned.get(hash);
    if (known) return known;
    const catalog = await this.deps.store.getCatalog(hash);
    if (catalog) this.pinned.set(catalog._id, catalog);
    return catalog;
  }

  /** The configured names that no worker offers now. `patient` leaves out the names of toolsets that may still come. */
  unknownAmong(
    configured: readonly string[],
    offer: ToolChoice,
    { patient }: { patient: boolean },
  ): string[] {
    const offered = this.catalogue.offered();
    const unknown = findUnknownNames(configured, offered);
    if (patient) return withoutAbsentToolsets(unknown, offered);
    return [...unknown, ...findUnknownEntries(offer, offered)];
  }

  /** The number of living workers that host the toolset. */
  workersOf(toolset: string): number {
    return this.catalogue.workersOf(toolset);
  }

  /** The number of calls of a toolset that all living workers run at once. */
  placesOf(toolset: string): number {
    return this.catalogue.placesOf(toolset);
  }

  close(): void {
    this.expiry.cancel();
    this.lost.close();
  }

  /** Workers announce repeatedly; only changes are checked. */
  private checkLosses(): void {
    const { hash } = this.catalogue;
    if (hash === this.lastHash) return;
    this.lastHash = hash;
    this.losses.check(this.catalogue.offered());
  }
}
