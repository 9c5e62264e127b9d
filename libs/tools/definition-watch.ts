import { LRUCache } from 'lru-cache';
import type { ToolDefinition, Toolset } from '#contracts';
import { canonicalHash } from './canonical-hash.js';
import { versionOf } from './versions.js';

/** A known tool that is announced with another definition although its toolset's version is the same. */
export interface DefinitionChange {
  tool: string;
  toolset: string;
  version: string;
  /** Which parts of the definition differ from the one seen before. */
  changed: string[];
}

const PARTS = ['description', 'input_schema', 'output_schema', 'class', 'timeout_ms', 'own_name'] as const;

interface Seen {
  hashes: Set<string>;
  /** The hashes of the last new definition, by part. */
  parts: Record<(typeof PARTS)[number], string>;
}

/** The maximum number of remembered definitions, and of variants seen of one. Beyond that, the oldest is forgotten. */
const MAX_TOOLS = 20_000;
const MAX_WAYS = 50;

/**
 * Watches workers' announcements: a server may change a tool's description after people have come to trust it. Each
 * change is reported once, however often it is announced.
 */
export class DefinitionWatch {
  // Not `max`, which allocates its storage at once, at every start.
  private readonly seen = new LRUCache<string, Seen>({ maxSize: MAX_TOOLS, sizeCalculation: () => 1 });

  note(toolsets: readonly Toolset[]): DefinitionChange[] {
    return toolsets.flatMap((toolset) =>
      toolset.tools.flatMap((tool) => {
        const { name } = toolset;
        const version = versionOf(toolset, tool);
        const changed = this.compare(`${tool.name}@${version}`, tool);
        return changed.length > 0 ? [{ tool: tool.name, toolset: name, version, changed }] : [];
      }),
    );
  }

  private compare(key: string, tool: ToolDefinition): string[] {
    const before = this.seen.get(key);
    if (before?.hashes.has(tool.hash)) return [];
    const parts = Object.fromEntries(
      PARTS.map((part) => [part, canonicalHash(tool[part] ?? null)]),
    ) as Seen['parts'];
    const hashes = before && before.hashes.size < MAX_WAYS ? before.hashes : new Set<string>();
    this.seen.set(key, { hashes: hashes.add(tool.hash), parts });
    return before ? PARTS.filter((part) => before.parts[part] !== parts[part]) : [];
  }
}
