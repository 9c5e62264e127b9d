import type { Journal, Step } from '#contracts';
import { newMessage } from '#contracts';
import { endEvent, isSettled, statusOf } from '#turn';
import { hint } from './carry-out.js';
import { countUsage } from './count-usage.js';
import type { Ports } from './ports.js';

/**
 * What follows an ending row, done by who inserted it and again by whoever gets a hint about the ended turn: tell
 * viewers, count what it used, set the caches, hint the next turn in line. Idempotent.
 *
 * @param count counts the usage of its steps; a driver leaves out what it has counted already
 */
export async function endTurn(
  ports: Ports,
  journal: Journal,
  end: Step,
  count = () => countUsage(ports.store, journal),
): Promise<void> {
  ports.bus.emit(endEvent(journal, end));
  await afterItsEnd(ports, journal, count, () => setCaches(ports, journal));
}

/**
 * As `endTurn`, by a process that holds no hint about the turn, so that nobody would repeat its lost word: somebody is
 * hinted to do it all again. While that hint does not get through the caches stay, and the sweeper finds the turn.
 */
export async function endUnheldTurn(ports: Ports, journal: Journal, end: Step): Promise<void> {
  ports.bus.emit(endEvent(journal, end));
  const hinted = hint(ports, journal);
  const count = () => countUsage(ports.store, journal);
  await afterItsEnd(ports, journal, count, async () => {
    if ((await hinted) === 'confirmed') await setCaches(ports, journal);
  });
}

/** The usage before the caches, and the next turn: nobody looks at a turn again that is cached as ended. */
async function afterItsEnd(
  ports: Ports,
  journal: Journal,
  count: () => Promise<unknown>,
  cache: () => Promise<void>,
): Promise<void> {
  await count();
  await Promise.all([cache(), hintNext(ports, journal)]);
}

/** The status first: a turn that is not due any more is looked at by nobody who would set it. */
async function setCaches({ store }: Ports, journal: Journal): Promise<void> {
  await store.setTurnStatus(journal.turn._id, statusOf(journal));
  if (isSettled(journal)) await store.setTurnDue(journal.turn._id, null);
}

async function hintNext(ports: Ports, journal: Journal): Promise<void> {
  const { _id, conversation_id } = journal.turn;
  const waiting = await ports.store.listUnendedTurns(conversation_id);
  const next = waiting.find((turn) => turn._id !== _id);
  if (next)
    await ports.bus.publish(
      'turns',
      newMessage(ports, 'turn.advance', { turn_id: next._id, conversation_id }),
    );
}
