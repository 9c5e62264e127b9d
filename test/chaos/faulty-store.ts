import { isDeepStrictEqual } from 'node:util';
import type { Turn } from '#contracts';
import { StoreUnavailableError, type Inserted, type Journal, type Store } from '#store';
import type { Faults } from './faults.js';
import type { Life } from './life.js';
import type { Trace } from './trace.js';

/** How long after its caller gave up a write may still take effect. */
const LATEST_EFFECT_MS = 6_000;

type Operation = (...args: unknown[]) => Promise<unknown>;
type InsertedRow = Inserted<{ _id: string }>;

const INSERTS = new Set(['insertConversation', 'insertTurn', 'commitStep', 'claim', 'settle', 'answer']);

/**
 * One process's way to the store: slow, sometimes away before or after the write, and cut off with the process. Like
 * the adapter of a remote store it knows a row again whose insert was not answered, and reads a journal in parts that
 * are not of one moment.
 */
export function faultyStore(store: Store, faults: Faults, life: Life, trace: Trace): Store {
  const unanswered = new Set<string>();
  const torn: Partial<Store> = {
    readJournal: (turnId) => readTorn(() => store.readJournal(turnId), faults),
    readJournals: (conversationId, turns) => readAllTorn(store, conversationId, turns, faults),
  };
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const operation = noted(name, (torn[name] ?? target[name]).bind(target) as Operation);
      return async (...args: unknown[]) => {
        await life.gate();
        const result = await attempt(name, operation, args);
        await life.gate();
        if (name === 'beat' && result === 'beaten') life.beat();
        return result;
      };
    },
  });

  /** The trace learns which rows were really inserted, in order. */
  function noted(name: keyof Store, operation: Operation): Operation {
    if (!INSERTS.has(name)) return operation;
    return async (...args) => {
      const result = await operation(...args);
      if (result !== 'taken' && (result as InsertedRow).won)
        trace.inserted(name, (args[0] as { _id: string })._id);
      return result;
    };
  }

  async function attempt(name: keyof Store, operation: Operation, args: unknown[]): Promise<unknown> {
    const failure = faults.storeFailure();
    const id = INSERTS.has(name) ? (args[0] as { _id: string })._id : undefined;
    await faults.delay();
    if (!failure) {
      const result = await operation(...args);
      await faults.delay();
      return id !== undefined && result !== 'taken'
        ? recognized(name, id, result as InsertedRow, args[0])
        : result;
    }
    if (failure === 'after') await operation(...args);
    if (failure === 'late')
      setTimeout(() => void operation(...args), faults.random.between(0, LATEST_EFFECT_MS));
    if (id !== undefined) unanswered.add(id);
    await faults.delay();
    await life.gate();
    throw new StoreUnavailableError(`chaos: no answer to ${name}`);
  }

  /** A row that stands and is the very one whose insert was not answered is its own. */
  function recognized(name: keyof Store, id: string, result: InsertedRow, row: unknown): InsertedRow {
    if (!unanswered.delete(id) || result.won) return result;
    return { ...result, won: isDeepStrictEqual(plainRow(name, result.row), plainRow(name, row)) };
  }
}

const CACHES: Partial<Record<keyof Store, string[]>> = {
  insertTurn: ['status', 'due_at'],
  insertConversation: ['title', 'policy', 'updated_at', 'deleted_at'],
};

/** As it is stored, without what is written again after the insert. */
function plainRow(name: keyof Store, row: unknown): unknown {
  const plain = JSON.parse(JSON.stringify(row)) as Record<string, unknown>;
  for (const cache of CACHES[name] ?? []) delete plain[cache];
  return plain;
}

/** Of a journal that is read in two moments, each collection is of one or the other. */
async function readTorn(read: () => Promise<Journal | null>, faults: Faults): Promise<Journal | null> {
  const early = await read();
  await faults.delay();
  const late = await read();
  if (!early || !late) return early;
  const { random } = faults;
  const either = () => (random.chance(0.5) ? early : late);
  return {
    turn: early.turn,
    steps: either().steps,
    claims: either().claims,
    outcomes: either().outcomes,
    answers: either().answers,
  };
}

async function readAllTorn(
  store: Store,
  conversationId: string,
  turns: Turn[],
  faults: Faults,
): Promise<Journal[]> {
  const journals = await Promise.all(
    turns.map((turn) =>
      readTorn(async () => (await store.readJournals(conversationId, [turn]))[0] ?? null, faults),
    ),
  );
  return journals.filter((journal) => journal !== null);
}
