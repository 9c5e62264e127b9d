import { isEndedStatus, type Conversation, type Turn } from '#contracts';
import type { Ports } from './ports.js';
import { stopTurn } from './stop-turn.js';

/** A tombstone and the claims of its calls stay for this long, so that a late message cannot start anything again. */
export const TOMBSTONE_MS = 30 * 24 * 3_600_000;
/** The wait while a call may be running, or when one look could not remove everything. */
const NEXT_CHECK_MS = 5_000;
/** Late rows are looked for at growing intervals: about twenty times in thirty days. */
const FIRST_LATE_CHECK_MS = 60_000;
const TURNS_A_PAGE = 100;
const PAGES_PER_CHECK = 5;
const STEPS_A_PAGE = 1_000;
const MESSAGE = 'The conversation was deleted.';

/**
 * Marks the conversation. The mark is the decision: from then on no process starts anything in the conversation, and
 * its content is removed.
 */
export async function markDeleted({ store, bus, clock }: Ports, conversationId: string): Promise<void> {
  const now = clock.wall();
  await store.updateConversation(conversationId, { deleted_at: new Date(now).toISOString(), due_at: now });
  await emitDeleted({ store, bus }, conversationId, now);
}

/**
 * Emits the event through a turn, so that it reaches viewers who have the conversation open; all others see the mark.
 */
async function emitDeleted(
  { store, bus }: Pick<Ports, 'store' | 'bus'>,
  conversationId: string,
  now: number,
): Promise<void> {
  const [newest] = await store.listTurns(conversationId, { limit: 1 });
  if (!newest) return;
  bus.emit({
    type: 'cancelled',
    conversation_id: conversationId,
    turn_id: newest._id,
    timestamp: new Date(now).toISOString(),
    message: MESSAGE,
    deleted: true,
  });
}

/**
 * One look at a marked conversation: stops its turns, removes those whose calls have all ended, then what arrived late,
 * and after thirty days the rest. Bounded and idempotent; every look starts from the rows that are left.
 */
export async function removeDeleted(ports: Ports, conversation: Conversation, now: number): Promise<void> {
  const { store } = ports;
  const { _id, deleted_at, title } = conversation;
  if (deleted_at === undefined) return;
  // First of all: if this process dies here, another one looks again.
  await store.updateConversation(_id, { due_at: now + NEXT_CHECK_MS });
  if (title !== '') await store.updateConversation(_id, { title: '' });
  // The process that set the mark may have died before its event. Without turns the event could be about nothing.
  await emitDeleted(ports, _id, now);
  const isWhole = await removeTurnsThatEnded(ports, _id);
  if (!isWhole) return;
  await store.removeBindingsOf(_id);
  const ageMs = now - Date.parse(deleted_at);
  if (ageMs < TOMBSTONE_MS) {
    const late_after = await removeLate(ports, conversation);
    if (late_after !== undefined) return store.updateConversation(_id, { late_after });
    const lookMs = Math.min(Math.max(2 * ageMs, ageMs + FIRST_LATE_CHECK_MS), TOMBSTONE_MS);
    await store.updateConversation(_id, { due_at: Date.parse(deleted_at) + lookMs, late_after: 0 });
    // Whoever added a turn during this look asked for the next one, and this write may have replaced that time.
    const [added] = await store.listTurns(_id, { limit: 1 });
    return added && store.updateConversation(_id, { due_at: now });
  }
  if (await forgetTurns(ports, _id)) await store.removeConversation(_id);
}

/** False while a call may be running, or turns are left for the next look. */
async function removeTurnsThatEnded(ports: Ports, conversationId: string): Promise<boolean> {
  const { store } = ports;
  let isWaiting = false;
  let before: number | undefined;
  for (let page = 0; page < PAGES_PER_CHECK; page++) {
    const turns = await store.listTurns(conversationId, { before, limit: TURNS_A_PAGE });
    if (turns.length === 0) return !isWaiting;
    const isOver = await Promise.all(turns.map((turn) => endTurn(ports, turn)));
    const over = turns.filter((_turn, index) => isOver[index]);
    if (over.length > 0)
      await store.removeTurns(
        conversationId,
        over.map((turn) => turn._id),
        'ids',
      );
    isWaiting ||= over.length < turns.length;
    before = turns[0]!.number;
  }
  return false;
}

/** True when nothing in the turn can happen again: it has ended, and each of its calls has an outcome. */
async function endTurn(ports: Ports, turn: Turn): Promise<boolean> {
  if (turn.due_at === null && isEndedStatus(turn.status)) return true;
  const stopped = await stopTurn(ports, turn._id, () => Promise.resolve(false));
  return stopped === null || stopped.mayBeRunning.length === 0;
}

/**
 * Removes late rows. A thawed worker may settle a call that was already settled for it and removed; the emptied steps
 * name the turns. Returns where to continue at the next look, or undefined when all of them have been looked at.
 */
async function removeLate({ store }: Ports, { _id, late_after }: Conversation): Promise<number | undefined> {
  let after = late_after ?? 0;
  for (let page = 0; page < PAGES_PER_CHECK; page++) {
    const range = { after, before: Number.MAX_SAFE_INTEGER, limit: STEPS_A_PAGE };
    const steps = await store.listSteps(_id, range);
    const last = steps.at(-1);
    if (!last) return undefined;
    await store.removeTurns(_id, [...new Set(steps.map((step) => step.turn_id))], 'ids');
    after = last.turn_number;
  }
  return after;
}

/** True when no step, and so no claim, is left. */
async function forgetTurns({ store }: Ports, conversationId: string): Promise<boolean> {
  const range = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: STEPS_A_PAGE };
  for (let page = 0; page < PAGES_PER_CHECK; page++) {
    const steps = await store.listSteps(conversationId, range);
    if (steps.length === 0) return true;
    await store.removeTurns(conversationId, [...new Set(steps.map((step) => step.turn_id))], 'nothing');
  }
  return false;
}
