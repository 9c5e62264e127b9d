import type { Journal } from '#contracts';
import type { Store } from '#store';
import { endingStep, openCalls, statusOf } from '#turn';
import { FILES, type StoredConversation } from './evidence.js';
import type { Recorder } from './recorder.js';

const USER = 'local';
const PAGE = 100;
const ALL = 100_000;

async function* conversationsOf(store: Store): AsyncIterable<StoredConversation> {
  for (let skip = 0; ; skip += PAGE) {
    const conversations = await store.listConversations(USER, { skip, limit: PAGE });
    for (const conversation of conversations) {
      const turns = await store.listTurns(conversation._id, { limit: ALL });
      yield { conversation, journals: await store.readJournals(conversation._id, turns) };
    }
    if (conversations.length < PAGE) return;
  }
}

/** Turns that have not ended, that have calls without an outcome, or whose cached status is not right yet. */
export async function countOpen(store: Store): Promise<number> {
  const isOpen = (journal: Journal) =>
    !endingStep(journal) || openCalls(journal).length > 0 || journal.turn.status !== statusOf(journal);
  let open = 0;
  for await (const { journals } of conversationsOf(store)) open += journals.filter(isOpen).length;
  return open;
}

export async function dumpStore(store: Store, recorder: Recorder): Promise<string[]> {
  const ids: string[] = [];
  for await (const stored of conversationsOf(store)) {
    ids.push(stored.conversation._id);
    recorder.record(FILES.store, stored);
    recorder.flush();
  }
  for (const { queue, reason, content } of await store.listDeadLetters(ALL))
    recorder.record(FILES.deadLetters, { queue, reason, content });
  return ids;
}
