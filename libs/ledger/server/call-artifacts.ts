import { LRUCache } from 'lru-cache';
import type { Artifact, Body } from '#contracts';
import type { Ports } from '#journal';
import { makeArtifact } from '#tools';
import { timestampOf } from '#time';
import { ArtifactParts } from './artifact-parts.js';

/** Twice what our own worker keeps, because a repeated one counts again. */
const MAX_ARTIFACTS = 66;
const MAX_CALLS = 20_000;

/** Artifacts as they come from workers: whole, of a call that runs, and no more than a call may have. */
export class CallArtifacts {
  private readonly parts: ArtifactParts;
  /** How many each call has, as far as this process knows. */
  private readonly counts = new LRUCache<string, number>({ max: MAX_CALLS });

  constructor(private readonly ports: Pick<Ports, 'store' | 'clock'>) {
    this.parts = new ArtifactParts(() => ports.clock.now());
  }

  /** The part that is wanted next, the row to keep, or why there will be none. */
  async add(
    body: Body<'ledger.artifact'>,
  ): Promise<{ next: number } | { row: Artifact } | { refused: string }> {
    const added = this.parts.add(body);
    if ('next' in added) return added;
    const { artifact, call, parts } = body;
    const { user_id, conversation_id, turn_id, tool_call_id } = call;
    const count = this.counts.get(tool_call_id) ?? 0;
    if (count >= MAX_ARTIFACTS) return { refused: `A call has at most ${MAX_ARTIFACTS} artifacts.` };
    // Before anything is waited for: others of the call may come meanwhile.
    this.counts.set(tool_call_id, count + 1);
    // Nobody will read it, and its worker goes on to learn that.
    if (await this.ports.store.getOutcome(tool_call_id)) return { next: parts };
    const place = { user_id, conversation_id, turn_id, tool_call_id };
    const attachment = { content: added.whole, contentType: artifact.content_type, name: artifact.name };
    const row = makeArtifact(place, attachment, timestampOf(this.ports.clock));
    return row._id === artifact._id ? { row } : { refused: 'The artifact is not what its id says.' };
  }
}
