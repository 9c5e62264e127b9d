import type { Journal } from '#contracts';
import { decideCalls, decideStop, endingStep, holderOf, openCalls } from '#turn';
import { carryOut } from './carry-out.js';
import { countUsage } from './count-usage.js';
import { endUnheldTurn } from './end-turn.js';
import { situationOf } from './owner-liveness.js';
import type { Ports } from './ports.js';
import { stepRow } from './step-row.js';

/** Asks a living driver to commit a `cancel` row with the text so far; true if the driver answers (within 1 s). */
export type AskDriver = (turnId: string, driver: string) => Promise<boolean>;

/**
 * Ends a turn (docs/architecture.md, "The life of a turn") and returns the calls that may still be running; null if
 * there is no such turn. When it resolves, no call that was still unclaimed will ever start. For an ended turn it
 * returns the calls that still have no outcome.
 */
export async function stopTurn(
  ports: Ports,
  turnId: string,
  askDriver: AskDriver,
): Promise<{ mayBeRunning: string[] } | null> {
  let journal = await ports.store.readJournal(turnId);
  if (!journal) return null;
  const driver = holderOf(journal, turnId)?.owner;
  if (!endingStep(journal)) {
    const asked = driver !== undefined && (await askDriver(turnId, driver));
    if (asked) journal = (await ports.store.readJournal(turnId)) ?? journal;
  }
  if (!endingStep(journal)) journal = await insertCancel(ports, journal);
  await ports.faultPoint('stop_committed');
  // The process that ended the turn may have died before counting, and after a deletion the steps are gone.
  await countUsage(ports.store, journal);
  const mayBeRunning = await releaseCalls(ports, journal);
  await ports.faultPoint('stop_settled');
  return { mayBeRunning };
}

/** Inserts a `cancel` row without text, which competes with the model's step for the same number. */
async function insertCancel(ports: Ports, journal: Journal): Promise<Journal> {
  const { turn, steps } = journal;
  for (;;) {
    const next = decideStop(journal);
    if (next.do === 'release') return (await ports.store.readJournal(turn._id)) ?? journal;
    const { won, row } = await ports.store.commitStep(
      stepRow(ports, journal, next.n, { kind: 'cancel', attempt: 0 }),
    );
    steps.push(row);
    if (!won) continue;
    ports.observer.turnEnded(turn, row);
    await endUnheldTurn(ports, journal, row);
    return journal;
  }
}

/**
 * Claims every open call of an ended turn, unless it is already claimed. Returns the ids of those that a worker may be
 * running.
 */
export async function releaseCalls(ports: Ports, ended: Journal): Promise<string[]> {
  if (openCalls(ended).length === 0) return [];
  const journal = (await ports.store.readJournal(ended.turn._id)) ?? ended;
  const running: string[] = [];
  const decisions = decideCalls(journal, await situationOf(ports, journal));
  await Promise.all(
    decisions.map(async (decision) => {
      const { outcome } = await carryOut(ports, journal, decision);
      if (!outcome) running.push(decision.call.tool_call_id);
    }),
  );
  const order = openCalls(journal).map(({ call }) => call.tool_call_id);
  return order.filter((id) => running.includes(id));
}
