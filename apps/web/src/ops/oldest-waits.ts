import type { ListedTurn } from '#contracts';
import { toolsetOf } from '#turn';

const WAITS_FOR_WORKER = new Set(['queued', 'no_worker', 'paused']);

/** By toolset: since when (ms) the call has waited for a worker that has waited longest, of these turns. */
export function oldestWaits(turns: readonly ListedTurn[]): Map<string, number> {
  const oldest = new Map<string, number>();
  for (const { waiting } of turns) {
    if (!waiting?.tool_name || !WAITS_FOR_WORKER.has(waiting.reason)) continue;
    const toolset = toolsetOf(waiting.tool_name);
    oldest.set(toolset, Math.min(oldest.get(toolset) ?? Infinity, Date.parse(waiting.since)));
  }
  return oldest;
}
