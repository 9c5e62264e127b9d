import type { Journal, Step } from '#contracts';
import { turnHint } from '#contracts';
import { endEvent, isSettled, statusOf } from '#turn';
import { hint } from './carry-out.js';
import { countUsage } from './count-usage.js';
import type { Ports } from './ports.js';

/**
 * Completes a turn after its ending row: tells viewers, counts its usage, sets the caches, hints the next turn in line.
 * The process that inserted the row does this, and each process that gets a hint about the ended turn repeats it.
 * Idempotent.
 *
 * @param count counts the usage of its steps; a driver leaves out those that it has already counted
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
 * Like `endTurn`, for a process that holds no hint about the turn, so that a lost event would not be repeated: it sends
 * a hint, so that an orchestrator does it all again. If the hint does not get through, the caches stay, and the sweeper
 * finds the turn.
 */
export async function endUnheldTurn(ports: Ports, journal: Journal, end: Step): Promise<void> {
  ports.bus.emit(endEvent(journal, end));
  const hinted = hint(ports, journal);
  const count = () => countUsage(ports.store, journal);
  await afterItsEnd(ports, journal, count, async () => {
    if ((await hinted) === 'confirmed') await setCaches(ports, journal);
  });
}

/**
 * Counts the usage before it sets the caches and hints the next turn: no process looks again at a turn that is cached
 * as ended.
 */
async function afterItsEnd(
  ports: Ports,
  journal: Journal,
  count: () => Promise<unknown>,
  cache: () => Promise<void>,
): Promise<void> {
  await count();
  await Promise.all([cache(), hintNext(ports, journal)]);
}

/** Sets the status first: no process looks at a turn that is no longer due, so none would set it later. */
async function setCaches({ store }: Ports, journal: Journal): Promise<void> {
  await store.setTurnStatus(journal.turn._id, statusOf(journal));
  if (isSettled(journal)) await store.setTurnDue(journal.turn._id, null);
}

async function hintNext(ports: Ports, journal: Journal): Promise<void> {
  const { _id, conversation_id } = journal.turn;
  const waiting = await ports.store.listUnendedTurns(conversation_id);
  const next = waiting.find((turn) => turn._id !== _id);
  if (next) await ports.bus.publish('turns', turnHint(ports, next));
}
