import type { Journal, Turn, View } from '#contracts';
import type { Store } from '#store';
import { endingStep, holderOf, openCalls, viewOf, type PartialText } from '#turn';
import { furtherPartial, partialsOf } from './compare-views.js';
import { TURNS_SHOWN } from './snapshot.js';

/** The text that a driver is streaming; undefined without one, or if it does not answer soon. */
export type Peek = (turnId: string, driver: string) => Promise<PartialText | undefined>;
/** A conversation's view from the store; null if there is no such conversation. `shown`: what viewers hold. */
export type ReadView = (conversationId: string, shown: View | undefined) => Promise<View | null>;

export function createViewReader(
  store: Pick<Store, 'getConversation' | 'listTurns' | 'listUnendedTurns' | 'readJournals'>,
  peek: Peek,
): ReadView {
  return async (conversationId, shown) => {
    const [conversation, newest, unended] = await Promise.all([
      store.getConversation(conversationId),
      store.listTurns(conversationId, { limit: TURNS_SHOWN }),
      store.listUnendedTurns(conversationId),
    ]);
    if (!conversation || conversation.deleted_at !== undefined) return null;
    const turns = mergeTurns(newest, unended);
    const journals = await store.readJournals(conversationId, turns);
    const known = partialsOf(shown);
    const partials = await Promise.all(
      journals.map(async (journal) => {
        const own = known.find((partial) => partial.turn_id === journal.turn._id);
        return furtherPartial(await peekInto(journal, peek), own);
      }),
    );
    const earlier = turns.length < (turns.at(-1)?.number ?? 0);
    return viewOf(
      conversation,
      journals,
      earlier,
      partials.filter((partial) => partial !== undefined),
    );
  };
}

/** Nothing is streamed while calls are open, so nobody is asked then. */
async function peekInto(journal: Journal, peek: Peek): Promise<PartialText | undefined> {
  const driver = holderOf(journal, journal.turn._id)?.owner;
  if (driver === undefined || endingStep(journal) || openCalls(journal).length > 0) return undefined;
  return peek(journal.turn._id, driver);
}

function mergeTurns(a: Turn[], b: Turn[]): Turn[] {
  const byId = new Map([...a, ...b].map((turn) => [turn._id, turn]));
  return [...byId.values()].sort((left, right) => left.number - right.number);
}
