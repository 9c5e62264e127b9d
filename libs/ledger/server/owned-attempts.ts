import { LRUCache } from 'lru-cache';
import type { Ports } from '#journal';

const MAX_KNOWN = 20_000;

/** Which worker has which attempt of a call: only that one may end it. */
export class OwnedAttempts {
  private readonly known = new LRUCache<string, string>({ max: MAX_KNOWN });

  constructor(private readonly store: Pick<Ports['store'], 'listClaims'>) {}

  note(toolCallId: string, attempt: number, worker: string): void {
    this.known.set(`${toolCallId}:${attempt}`, worker);
  }

  async isOf(toolCallId: string, attempt: number, worker: string): Promise<boolean> {
    const id = `${toolCallId}:${attempt}`;
    const known = this.known.get(id);
    if (known !== undefined) return known === worker;
    const claims = await this.store.listClaims(toolCallId);
    const owner = claims.find(({ _id, purpose }) => _id === id && purpose === 'run')?.owner;
    if (owner !== undefined) this.known.set(id, owner);
    return owner === worker;
  }
}
