import type { Journal, Turn, TurnView, View } from '#contracts';
import type { Store } from '#store';
import { endingStep, fittingView, holderOf, openCalls, turnViewOf, type PartialText } from '#turn';
import { MAX_PAGE_BYTES, readNewestViews } from './newest-turns.js';
import { furtherPartial, partialsOf } from './compare-views.js';
import { TURNS_SHOWN } from './snapshot.js';

/** The text that a driver is streaming; undefined if there is no driver or it does not answer soon. */
export type Peek = (turnId: string, driver: string) => Promise<PartialText | undefined>;
/** A conversation's view from the store; null if there is no such conversation. `shown`: the view of the viewers. */
export type ReadView = (conversationId: string, shown: View | undefined) => Promise<View | null>;

type ViewStore = Pick<Store, 'getConversation' | 'listTurns' | 'listUnendedTurns' | 'readJournals'>;

export function createViewReader(store: ViewStore, peek: Peek): ReadView {
  return async (conversationId, shown) => {
    const known = partialsOf(shown);
    const viewOf = async (journal: Journal): Promise<TurnView> => {
      const own = known.find((partial) => partial.turn_id === journal.turn._id);
      const partial = furtherPartial(await peekInto(journal, peek), own);
      return turnViewOf(journal, partial ? [partial] : []);
    };
    const [conversation, newest, unended] = await Promise.all([
      store.getConversation(conversationId),
      readNewestViews(store, conversationId, { limit: TURNS_SHOWN }, viewOf),
      store.listUnendedTurns(conversationId, MAX_PAGE_BYTES),
    ]);
    if (!conversation || conversation.deleted_at !== undefined) return null;
    const others = withoutShown(unended, newest);
    const journals = others.length > 0 ? await store.readJournals(conversationId, others) : [];
    const turns = [...newest, ...(await Promise.all(journals.map(viewOf)))];
    turns.sort((left, right) => left.number - right.number);
    const earlier = turns.length < (turns.at(-1)?.number ?? 0);
    return fittingView({ conversation_id: conversationId, title: conversation.title, earlier, turns });
  };
}

/** Nothing is streamed while calls are open, so no driver is asked then. */
async function peekInto(journal: Journal, peek: Peek): Promise<PartialText | undefined> {
  const driver = holderOf(journal, journal.turn._id)?.owner;
  if (driver === undefined || endingStep(journal) || openCalls(journal).length > 0) return undefined;
  return peek(journal.turn._id, driver);
}

function withoutShown(turns: Turn[], shown: TurnView[]): Turn[] {
  const ids = new Set(shown.map(({ turn_id }) => turn_id));
  return turns.filter(({ _id }) => !ids.has(_id));
}
