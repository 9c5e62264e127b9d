import type { CatalogTool, Toolset, ToolDefinition } from '#contracts';
import { canonicalHash } from './canonical-hash.js';
import { displayName } from './names.js';
import { compareVersions, majorOf, versionOf } from './versions.js';

/** A worker that was silent for this long offers nothing. */
export const ANNOUNCEMENT_LIFETIME_MS = 30_000;

/** One second: every living worker has answered a roll-call by then. */
export const ROLL_CALL = { looks: 20, everyMs: 50 };

/** Calls of a toolset that a worker runs in parallel, unless set otherwise. */
export const DEFAULT_CONCURRENCY = 16;

interface Announcement {
  at: number;
  /** How many announcements this worker has made. */
  times: number;
  /** The toolsets with tools; a toolset announced empty is not hosted. */
  toolsets: Toolset[];
}

/** A definition of a tool, with the values that decide whether it is older than another. */
interface Candidate {
  toolset: Toolset;
  tool: ToolDefinition;
  firstSeen: number;
}

/**
 * The offer of the living workers, from their announcements. Pure state: the caller gives every time (milliseconds, any
 * clock). A tool is offered if every worker of its toolset announces it, so that each worker that takes a call has the
 * tool. While definitions differ (an upgrade), the oldest is offered: lowest version, then first seen.
 */
export class Catalogue {
  private readonly announcements = new Map<string, Announcement>();
  /** When a definition was first announced, by hash; kept without its worker while any worker announces it. */
  private firstSeen = new Map<string, number>();
  private offer: { tools: CatalogTool[]; hash: string } | undefined;

  /** A worker's whole offer; replaces its earlier one. */
  announce(worker: string, toolsets: readonly Toolset[], at: number): void {
    const hosted = toolsets.filter(({ tools }) => tools.length > 0);
    const known = this.announcements.get(worker);
    if (known && isSameOffer(known.toolsets, hosted)) {
      known.at = at;
      known.times++;
      return;
    }
    for (const { tools } of hosted) {
      for (const { hash } of tools) if (!this.firstSeen.has(hash)) this.firstSeen.set(hash, at);
    }
    this.announcements.set(worker, { at, times: (known?.times ?? 0) + 1, toolsets: hosted });
    this.changed();
  }

  withdraw(worker: string): void {
    if (this.announcements.delete(worker)) this.changed();
  }

  /**
   * Drops the workers that have been silent for 30 s. `heardForMs`: how long the caller has been able to receive
   * announcements.
   */
  expire(now: number, heardForMs: number): void {
    for (const [worker, { at }] of this.announcements) {
      if (Math.min(now - at, heardForMs) >= ANNOUNCEMENT_LIFETIME_MS) this.withdraw(worker);
    }
  }

  /** The workers with an announcement that counts. */
  workers(): string[] {
    return [...this.announcements.keys()];
  }

  /** How often a worker has announced itself since it was last withdrawn. */
  timesHeard(worker: string): number {
    return this.announcements.get(worker)?.times ?? 0;
  }

  /** Sorted by bus name, so the same offer is the same list, byte by byte. */
  offered(): CatalogTool[] {
    return this.current().tools;
  }

  /** The hash of `offered()`: the key of the `catalogs` row. */
  get hash(): string {
    return this.current().hash;
  }

  /** How many living workers host a toolset: the divisor of a fleet-wide rate limit. */
  workersOf(toolset: string): number {
    return this.hostsOf(toolset).length;
  }

  /** The living workers that host a toolset. */
  hostsOf(toolset: string): string[] {
    const all = [...this.announcements];
    return all
      .filter(([, { toolsets }]) => toolsets.some(({ name }) => name === toolset))
      .map(([worker]) => worker);
  }

  /** The toolset as each living worker that hosts it has announced it. */
  announcedAs(name: string): Toolset[] {
    const all = [...this.announcements.values()].flatMap(({ toolsets }) => toolsets);
    return all.filter((toolset) => toolset.name === name);
  }

  /** Whether a living worker has the tool in this major version. */
  hasMajor(toolset: string, toolName: string, major: number): boolean {
    return this.announcedAs(toolset).some((announced) =>
      announced.tools.some((tool) => tool.name === toolName && majorOf(versionOf(announced, tool)) === major),
    );
  }

  /** Calls of a toolset that all living workers together run in parallel; 0 when no worker hosts it. */
  placesOf(toolset: string): number {
    let places = 0;
    for (const { toolsets } of this.announcements.values())
      for (const { name, concurrency } of toolsets)
        if (name === toolset) places += concurrency ?? DEFAULT_CONCURRENCY;
    return places;
  }

  /** Names of the toolsets that keep state for a user or a conversation. */
  scopedToolsets(): string[] {
    const all = [...this.announcements.values()].flatMap(({ toolsets }) => toolsets);
    const scoped = all.filter(({ scope }) => scope !== undefined && scope !== 'shared');
    return [...new Set(scoped.map(({ name }) => name))];
  }

  private changed(): void {
    this.offer = undefined;
    const announced = [...this.announcements.values()].flatMap(({ toolsets }) =>
      toolsets.flatMap(({ tools }) => tools),
    );
    const hashes = new Set(announced.map(({ hash }) => hash));
    this.firstSeen = new Map([...this.firstSeen].filter(([hash]) => hashes.has(hash)));
  }

  private current(): { tools: CatalogTool[]; hash: string } {
    if (!this.offer) {
      const tools = listOffer(this.collectToolsets(), this.firstSeen);
      this.offer = { tools, hash: catalogueHash(tools) };
    }
    return this.offer;
  }

  private collectToolsets(): Map<string, Toolset[]> {
    const byName = new Map<string, Toolset[]>();
    for (const { toolsets } of this.announcements.values()) {
      for (const toolset of toolsets)
        byName.set(toolset.name, [...(byName.get(toolset.name) ?? []), toolset]);
    }
    return byName;
  }
}

/** Workers repeat their announcements every 10 s; a repeat must cost no more than receiving it. */
function isSameOffer(before: readonly Toolset[], now: readonly Toolset[]): boolean {
  return (
    before.length === now.length &&
    before.every((toolset, i) => {
      const { name, source, server, version, concurrency, tools } = now[i]!;
      const isSame =
        toolset.name === name &&
        toolset.source === source &&
        toolset.server === server &&
        toolset.version === version &&
        toolset.concurrency === concurrency &&
        toolset.tools.length === tools.length;
      return isSame && toolset.tools.every(({ hash }, n) => hash === tools[n]!.hash);
    })
  );
}

/** Stable hash of a list of tools, whatever the order of keys in their schemas. */
export function catalogueHash(tools: readonly CatalogTool[]): string {
  return canonicalHash(
    tools.map(({ hash, name, version, display_name, source }) => [name, hash, version, display_name, source]),
  );
}

function listOffer(byName: Map<string, Toolset[]>, firstSeen: Map<string, number>): CatalogTool[] {
  const chosen = [...byName.values()].flatMap((announced) => intersect(announced, firstSeen));
  const local = chosen
    .filter(({ toolset }) => toolset.source === 'local')
    .map(({ toolset, tool }) => ({ own_name: tool.own_name, toolset: toolset.name }));
  return chosen
    .map(({ toolset, tool }) => {
      const { name, source, server } = toolset;
      const version = versionOf(toolset, tool);
      const display_name = displayName({ own_name: tool.own_name, toolset: name, source, server }, local);
      return { ...tool, version, toolset: name, source, display_name };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The tools that all of a toolset's announcements have, each in its oldest definition. */
function intersect(announced: readonly Toolset[], firstSeen: Map<string, number>): Candidate[] {
  const candidates = new Map<string, Candidate[]>();
  for (const toolset of announced) {
    const own = new Map(toolset.tools.map((tool) => [tool.name, tool]));
    for (const [name, tool] of own) {
      const candidate = { toolset, tool, firstSeen: firstSeen.get(tool.hash) ?? 0 };
      candidates.set(name, [...(candidates.get(name) ?? []), candidate]);
    }
  }
  const shared = [...candidates.values()].filter(({ length }) => length === announced.length);
  return shared.map((definitions) =>
    definitions.reduce((best, other) => (isOlder(other, best) ? other : best)),
  );
}

/**
 * A total order on different definitions, so that the choice does not depend on the order of announcements. The oldest
 * version counts until its last worker leaves: newer workers of the same major version take calls made for it, older
 * ones may not know what a newer version takes.
 */
function isOlder(a: Candidate, b: Candidate): boolean {
  const byVersion = compareVersions(versionOf(a.toolset, a.tool), versionOf(b.toolset, b.tool));
  if (byVersion !== 0) return byVersion < 0;
  if (a.firstSeen !== b.firstSeen) return a.firstSeen < b.firstSeen;
  return a.tool.hash < b.tool.hash;
}
