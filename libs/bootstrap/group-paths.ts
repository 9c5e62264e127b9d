import type { ProcessRow } from '#contracts';
import { MAX_BEAT_GAP_MS, type Listing, type OwnHeartbeats } from './liveness-rules.js';

/** How beats of a group's workers came through to the store, by the orchestrators' own beats on the same way. */
interface Path {
  /** By orchestrator. */
  beats: ReadonlyMap<string, number>;
  /** End of the last listing in which one of them had moved. */
  movedAt: number;
  /** When they moved again after a gap; null: there was none. */
  brokenAt: number | null;
  steadySince: number;
}

/**
 * Whether beats of workers without the store reach it: through the broker and an orchestrator. While none does, a beat
 * that stands still says nothing about its worker.
 */
export class GroupPaths {
  private readonly paths = new Map<string, Path>();

  observe(rows: readonly ProcessRow[], { endedAt }: Listing): void {
    const seen = new Map<string, Map<string, number>>();
    for (const { _id, ledger_beats = {} } of rows) {
      for (const [group, count] of Object.entries(ledger_beats)) {
        const beats = seen.get(group) ?? new Map<string, number>();
        seen.set(group, beats.set(_id, count));
      }
    }
    for (const [group, beats] of seen)
      this.paths.set(group, pathAfter(this.paths.get(group), beats, endedAt));
  }

  /** This process's own heartbeats as they count for a worker of the group: only while the path worked, too. */
  countedFor(group: string, own: OwnHeartbeats, now: number): OwnHeartbeats {
    const path = this.paths.get(group);
    if (!path) return { ...own, lastSucceededAt: null, lastBegunAt: null, steadySince: null };
    const isBroken = now - path.movedAt > MAX_BEAT_GAP_MS;
    return {
      lastFailedAt: latest(own.lastFailedAt, isBroken ? now : path.brokenAt),
      lastSucceededAt: earliest(own.lastSucceededAt, path.movedAt),
      lastBegunAt: earliest(own.lastBegunAt, path.movedAt),
      steadySince:
        own.steadySince === null ? null : latest(own.steadySince, isBroken ? now : path.steadySince),
    };
  }
}

function pathAfter(before: Path | undefined, beats: ReadonlyMap<string, number>, endedAt: number): Path {
  if (!before) return { beats, movedAt: endedAt, brokenAt: null, steadySince: endedAt };
  const hasMoved = [...beats].some(([id, count]) => before.beats.get(id) !== count);
  if (!hasMoved) return { ...before, beats };
  const wasBroken = endedAt - before.movedAt > MAX_BEAT_GAP_MS;
  return {
    beats,
    movedAt: endedAt,
    brokenAt: wasBroken ? endedAt : before.brokenAt,
    steadySince: wasBroken ? endedAt : before.steadySince,
  };
}

function latest(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.max(one, other);
}

function earliest(one: number | null, other: number): number | null {
  return one === null ? null : Math.min(one, other);
}
