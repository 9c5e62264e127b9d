import { LRUCache } from 'lru-cache';
import type { ToolDefinition, Toolset } from '#contracts';
import { breakingChanges } from './breaking-changes.js';
import { compareVersions, majorOf, versionOf } from './versions.js';

/** A definition that breaks an earlier one of the same major version. */
export interface UndeclaredBreak {
  tool: string;
  toolset: string;
  version: string;
  /** The version that it breaks; the same as `version` if that did not change. */
  breaks_version: string;
  breaks: string[];
}

interface Latest {
  tool: ToolDefinition;
  version: string;
  hashes: Set<string>;
}

/** UTF-16 units of the definitions that are remembered. Beyond that, the oldest is forgotten. */
const MAX_LENGTH = 16 * 1024 * 1024;
/** Variants of one tool; then its memory begins anew. */
const MAX_WAYS = 50;

/**
 * Watches workers' announcements for changes that need a new major version and do not have one: such workers take calls
 * that were made for the other definition. Each definition is judged once, however often it is announced.
 */
export class BreakingWatch {
  private readonly latest = new LRUCache<string, Latest>({
    maxSize: MAX_LENGTH,
    sizeCalculation: ({ tool }) => JSON.stringify(tool).length,
  });

  note(toolsets: readonly Toolset[]): UndeclaredBreak[] {
    return toolsets.flatMap((toolset) => toolset.tools.flatMap((tool) => this.judge(toolset, tool)));
  }

  private judge(toolset: Toolset, tool: ToolDefinition): UndeclaredBreak[] {
    const version = versionOf(toolset, tool);
    const key = `${tool.name}@${majorOf(version)}`;
    const known = this.latest.get(key);
    if (known?.hashes.has(tool.hash)) return [];
    const hashes = known && known.hashes.size < MAX_WAYS ? known.hashes : new Set<string>();
    hashes.add(tool.hash);
    // A worker of an older version breaks nothing that calls rely on.
    if (known && compareVersions(version, known.version) < 0) return [];
    this.latest.set(key, { tool, version, hashes });
    if (!known) return [];
    const breaks = breakingChanges(known.tool, tool);
    if (breaks.length === 0) return [];
    const place = { tool: tool.name, toolset: toolset.name };
    return [{ ...place, version, breaks_version: known.version, breaks }];
  }
}
