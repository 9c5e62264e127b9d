import type { Store } from '#store';
import type { Promises } from './promises.js';

const ALL = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: 100_000 };

/** What the store still has of the content of deleted conversations. */
export async function leftOfDeleted(store: Store, promises: Promises): Promise<string[]> {
  const left = await Promise.all([...promises.deleted].map((id) => leftOf(store, promises, id)));
  return left.flat();
}

async function leftOf(store: Store, promises: Promises, id: string): Promise<string[]> {
  const [conversation, turns, steps, outcomes] = await Promise.all([
    store.getConversation(id),
    store.listTurns(id, { limit: ALL.limit }),
    store.listSteps(id, ALL),
    Promise.all(promises.outcomesOf(id).map((callId) => store.getOutcome(callId))),
  ]);
  const isFull = steps.some(({ blocks, calls }) => blocks.length > 0 || calls.length > 0);
  return [
    ...(conversation?.deleted_at === undefined ? ['all'] : []),
    ...(conversation?.title ? ['the title'] : []),
    ...(turns.length > 0 ? [`${turns.length} turns`] : []),
    ...(isFull ? ['steps'] : []),
    ...(outcomes.some((outcome) => outcome !== null) ? ['outcomes'] : []),
  ].map((what) => `${what} of ${id}`);
}
