import type { Journal, TurnView } from '#contracts';
import type { Store } from '#store';
import { turnViewOf } from '#turn';

/** Largest size of a page of turns and of a snapshot. */
export const MAX_PAGE_BYTES = 1024 * 1024;

type TurnsStore = Pick<Store, 'listTurns' | 'readJournals'>;

/**
 * The newest turns with a number below `before` as a view shows them, oldest first: at most 1 MiB, but always at least
 * one. A journal may be much larger than its view: at most 1 MiB of journals, or one, is in memory at a time.
 */
export async function readNewestViews(
  store: TurnsStore,
  conversationId: string,
  { before, limit }: { before?: number; limit: number },
  viewOf: (journal: Journal) => TurnView | Promise<TurnView> = (journal) => turnViewOf(journal),
): Promise<TurnView[]> {
  const views: TurnView[] = [];
  let bytes = 0;
  for (let below = before; views.length < limit; below = views[0]!.number) {
    const page = { before: below, limit: limit - views.length, bytes: MAX_PAGE_BYTES - bytes };
    const turns = await store.listTurns(conversationId, page);
    if (turns.length === 0) break;
    const journals = await store.readJournals(conversationId, turns);
    const read = await Promise.all(journals.map(async (journal) => viewOf(journal)));
    for (const view of read.reverse()) {
      bytes += Buffer.byteLength(JSON.stringify(view));
      if (bytes > MAX_PAGE_BYTES && views.length > 0) return views;
      views.unshift(view);
    }
    if (views[0]!.number === 1) break;
  }
  return views;
}
