import type { Turn } from '#contracts';
import { stepRow } from '#journal';
import type { Store } from '#store';
import type { Exchange } from './fold-history.js';
import { newTurn } from './new-turn.js';
import { turnIdOf } from './turn-ids.js';

/** A conversation that is brought along may be as long as its request; what is older than this is left out. */
const MAX_EXCHANGES = 500;
/** A turn and its step. */
const ROWS_PER_EXCHANGE = 2;

type ImportStore = Pick<Store, 'listTurns' | 'insertTurn' | 'commitStep' | 'setTurnDue'>;

/** How many rows the import of a history will write: none in a conversation that has turns of its own. */
export async function countRowsToImport(
  store: Pick<Store, 'listTurns'>,
  conversationId: string,
  exchanges: readonly Exchange[],
): Promise<number> {
  if (exchanges.length === 0) return 0;
  const [newest] = await store.listTurns(conversationId, { limit: 1 });
  if (newest && !isImported(newest)) return 0;
  const missing = Math.min(exchanges.length, MAX_EXCHANGES) - (newest?.number ?? 0);
  return ROWS_PER_EXCHANGE * Math.max(0, missing);
}

/**
 * Writes what was said before into a conversation that has no turns of its own yet: each exchange becomes a turn that
 * has ended, the newest 500 of them. May be repeated, also after it broke off, and by several processes at once. A turn
 * that somebody else inserts meanwhile, or another history, wins from its number on.
 */
export async function importHistory(
  store: ImportStore,
  { conversationId, userId }: { conversationId: string; userId: string },
  exchanges: readonly Exchange[],
): Promise<void> {
  const [newest] = await store.listTurns(conversationId, { limit: 1 });
  if (newest && !isImported(newest)) return;
  const asked: Turn[] = [];
  for (const [i, exchange] of exchanges.slice(-MAX_EXCHANGES).entries()) {
    const turn = importedTurn({ conversationId, userId }, i + 1, exchange);
    const inserted = await store.insertTurn(turn);
    if (inserted === 'taken' || !isSame(inserted.row, turn)) break;
    asked.push(inserted.row);
  }
  // Not before: one that fails while the next turn is inserted would have nobody who sees it, and end the process.
  await Promise.all(asked.map((turn) => answer(store, turn)));
}

function importedTurn(
  { conversationId, userId }: { conversationId: string; userId: string },
  number: number,
  { user: content, assistant: answer }: Exchange,
): Turn {
  const client_message_id = `imported-${number}`;
  const turnId = turnIdOf(conversationId, client_message_id);
  const turn = newTurn({ conversationId, turnId, userId, client_message_id, content, options: { answer } });
  // It must not count as one that is under way; its step follows, or is committed by whoever finds it due.
  return { ...turn, number, status: 'completed' };
}

function isImported({ options }: Turn): boolean {
  return options.answer !== undefined;
}

function isSame(row: Turn, { number, content, options }: Turn): boolean {
  return row.number === number && row.content === content && row.options.answer === options.answer;
}

async function answer(store: ImportStore, turn: Turn): Promise<void> {
  const text = turn.options.answer ?? '';
  const blocks = text === '' ? [] : [{ type: 'text' as const, text }];
  const said = { kind: 'model' as const, attempt: 0, blocks, stop_reason: 'end_turn' as const };
  const row = stepRow({ turn }, 1, said);
  await store.commitStep(row);
  await store.setTurnDue(turn._id, null);
}
