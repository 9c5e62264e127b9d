import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Artifact, Body } from '#contracts';

/** Bytes of unfinished artifacts that one orchestrator keeps. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** A worker that was lost sends no more parts. */
const FORGOTTEN_AFTER_MS = 60_000;
/** What an unfinished artifact costs, however little of it has come. */
const ENTRY_BYTES = 4_096;

interface Unfinished {
  parts: Buffer[];
  bytes: number;
}

/** Artifacts that arrive in parts, one after the other. */
export class ArtifactParts {
  private readonly unfinished: LRUCache<string, Unfinished>;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.unfinished = new LRUCache({
      maxSize: MAX_KEPT_BYTES,
      sizeCalculation: ({ bytes }) => ENTRY_BYTES + bytes,
      ttl: FORGOTTEN_AFTER_MS,
      perf: { now },
    });
  }

  /**
   * The part that is wanted next, or the content once it is whole. A part that does not follow the ones before,
   * and content with another hash, begin anew.
   */
  add({
    worker,
    artifact,
    part,
    parts,
    content,
  }: Body<'ledger.artifact'>): { next: number } | { whole: Buffer } {
    const key = `${worker} ${artifact._id}`;
    const before = part === 0 ? { parts: [], bytes: 0 } : this.unfinished.get(key);
    if (!before || part >= parts) return { next: 0 };
    // Repeated, because its answer was lost; or sent to another orchestrator before.
    if (part !== before.parts.length) return { next: before.parts.length };
    const bytes = Buffer.from(content, 'base64');
    const now = { parts: [...before.parts, bytes], bytes: before.bytes + bytes.byteLength };
    this.unfinished.delete(key);
    if (now.bytes > artifact.size) return { next: 0 };
    if (part + 1 < parts) {
      this.unfinished.set(key, now);
      return { next: part + 1 };
    }
    const whole = Buffer.concat(now.parts);
    return isWhole(whole, artifact) ? { whole } : { next: 0 };
  }
}

function isWhole(content: Buffer, { size, hash }: Pick<Artifact, 'size' | 'hash'>): boolean {
  return content.byteLength === size && createHash('sha256').update(content).digest('hex') === hash;
}
