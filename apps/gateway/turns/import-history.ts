import type { Step, Turn } from '#contracts';
import { stepRow } from '#journal';
import type { Store } from '#store';
import { yieldToEventLoop, type Clock } from '#time';
import type { Exchange } from './fold-history.js';
import { newTurn } from './new-turn.js';
import { turnIdOf } from './turn-ids.js';

/** A history may be as long as its request; older exchanges than these are left out. */
const MAX_EXCHANGES = 500;
/** Of one write: SQLite serves no other client meanwhile. The length is in characters. */
const TURNS_AT_ONCE = 25;
const LENGTH_AT_ONCE = 256 * 1024;
/** A turn and its step. */
const ROWS_PER_EXCHANGE = 2;

type ImportStore = Pick<Store, 'listTurns' | 'insertTurn' | 'insertTurns' | 'commitSteps' | 'setTurnsDue'>;
type Place = { conversationId: string; userId: string };

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
 * Writes a history into a conversation that has no turns of its own yet. Each exchange, of the newest 500, becomes an
 * ended turn. May be repeated, also after it broke off, and by several processes at once. If another process inserts a
 * turn or another history meanwhile, that wins from its number on.
 */
export async function importHistory(
  { store, clock }: { store: ImportStore; clock: Clock },
  place: Place,
  exchanges: readonly Exchange[],
): Promise<void> {
  const [newest] = await store.listTurns(place.conversationId, { limit: 1 });
  if (newest && !isImported(newest)) return;
  const turns = exchanges
    .slice(-MAX_EXCHANGES)
    .map((exchange, i) => importedTurn(clock, place, i + 1, exchange));
  for (const portion of portionsOf(turns)) {
    const inserted = await insertPortion(store, portion);
    await store.commitSteps(inserted.map((turn) => answerOf(clock, turn)));
    await store.setTurnsDue(
      inserted.map(({ _id }) => _id),
      null,
    );
    if (inserted.length < portion.length) return;
    // A store in this process answers at once, and would let no other work run.
    await yieldToEventLoop(clock);
  }
}

/** The stored rows, from the first one on. Rows that differ from this history belong to another one. */
async function insertPortion(store: ImportStore, turns: readonly Turn[]): Promise<Turn[]> {
  const standing: Turn[] = [];
  while (standing.length < turns.length) {
    const inserted = await store.insertTurns(turns.slice(standing.length));
    standing.push(...turns.slice(standing.length, standing.length + inserted));
    const taken = turns[standing.length];
    if (!taken) break;
    const found = await store.insertTurn(taken);
    if (found === 'taken' || !isSame(found.row, taken)) break;
    standing.push(found.row);
  }
  return standing;
}

function* portionsOf(turns: readonly Turn[]): Generator<Turn[]> {
  let portion: Turn[] = [];
  let length = 0;
  for (const turn of turns) {
    const more = turn.content.length + (turn.options.answer?.length ?? 0);
    if (portion.length > 0 && (portion.length >= TURNS_AT_ONCE || length + more > LENGTH_AT_ONCE)) {
      yield portion;
      portion = [];
      length = 0;
    }
    portion.push(turn);
    length += more;
  }
  if (portion.length > 0) yield portion;
}

function importedTurn(
  clock: Clock,
  { conversationId, userId }: Place,
  number: number,
  { user: content, assistant: answer }: Exchange,
): Turn {
  const client_message_id = `imported-${number}`;
  const turnId = turnIdOf(conversationId, client_message_id);
  const source = { conversationId, turnId, userId, client_message_id, content, options: { answer } };
  const turn = newTurn(clock, source);
  // It must not count as running. Its step follows, or is committed by the process that finds it due.
  return { ...turn, number, status: 'completed' };
}

function isImported({ options }: Turn): boolean {
  return options.answer !== undefined;
}

function isSame(row: Turn, { number, content, options }: Turn): boolean {
  return row.number === number && row.content === content && row.options.answer === options.answer;
}

function answerOf(clock: Clock, turn: Turn): Step {
  const text = turn.options.answer ?? '';
  const blocks = text === '' ? [] : [{ type: 'text' as const, text }];
  const said = { kind: 'model' as const, attempt: 0, blocks, stop_reason: 'end_turn' as const };
  return stepRow({ clock }, { turn }, 1, said);
}
