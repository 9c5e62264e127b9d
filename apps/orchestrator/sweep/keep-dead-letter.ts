import { createHash } from 'node:crypto';
import { type DeadLetter, errorDetail, type Journal } from '#contracts';
import { compete, endTurn, hint, labelled, type Ports, readMessageIds, releaseCalls } from '#journal';
import { kindOfQueue, type DeadDelivery } from '#messaging';
import { deathOf, redactText } from '#observability';
import { StoreUnavailableError } from '#store';
import { turnLogFields } from '#tracing';
import { endingStep, failedOutcome, nextStepNumber } from '#turn';
import { backOffMs, timestampOf } from '#time';
import { failRow } from '../step/fail-row.js';

/** Includes dead calls of the turn. */
const LETTERS_READ = 50;
/** The pause before a dead hint is sent again. */
const HINT_AGAIN = { firstMs: 350, longestMs: 1_400 };

/**
 * Stores a dead letter (only ids and sizes, nothing that a user or a tool has written) and repairs its turn, so that no
 * turn hangs: a dead hint is sent again, a dead call competes for its settle claim. If the message does not name its
 * turn, it is only stored; the sweeper sends hints for everything in the journal.
 */
export async function keepDeadLetter(ports: Ports, dead: DeadDelivery): Promise<void> {
  const { queue, messageId, content } = dead;
  const reason = withoutErrorText(redactText(dead.reason));
  const { turnId, toolCallId, kept } = readMessageIds(content);
  // Not even ids of a deleted conversation are kept.
  const about = await findAbout(ports, turnId, kept);
  await ports.store.putDeadLetter({
    _id: idOf(dead),
    queue,
    reason,
    message_id: messageId,
    size: content.byteLength,
    ...about,
    at: timestampOf(ports.clock),
  });
  ports.observer.deadLettered(kindOfQueue(queue) ?? 'other', deathOf(reason));
  ports.log.warn({ queue, reason, message_id: messageId, turn_id: turnId }, 'message dead-lettered');
  if (turnId === undefined) return;
  try {
    if (queue.startsWith('tools.') && toolCallId !== undefined)
      await settleDeadCall(ports, turnId, toolCallId, reason);
    else await hintAgain(ports, turnId);
  } catch (error) {
    // The letter is stored. A turn that cannot be repaired must not keep other dead letters from being stored.
    if (error instanceof StoreUnavailableError) throw error;
    ports.log.error({ err: error, turn_id: turnId }, 'repairing the turn of a dead letter failed');
  }
}

async function findAbout(ports: Ports, turnId: string | undefined, kept: string) {
  if (turnId === undefined) return { content: kept };
  try {
    if (!(await ports.store.getTurn(turnId))) return { content: '' };
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
  }
  return { content: kept, turn_id: turnId };
}

/** The error of a handler may contain its input. The log has it, without secrets. */
function withoutErrorText(reason: string): string {
  return reason.replace(/(handler failed: \w+).*$/s, '$1');
}

/** The same message always gets the same id, so that storing it again adds no row. */
function idOf({ queue, messageId, content }: DeadDelivery): string {
  return createHash('sha256').update(`${queue}\n${messageId}\n`).update(content).digest('hex');
}

/** A fault that kills every hint of a turn must not do so for ever, or as fast as the broker can deliver. */
async function hintAgain(ports: Ports, turnId: string): Promise<void> {
  const journal = await ports.store.readJournal(turnId);
  if (!journal || endingStep(journal)) return;
  const deaths = deadHintsInARow(
    journal,
    await ports.store.listDeadLettersOfTurn(turnId, LETTERS_READ),
    ports.clock.wall(),
  );
  if (deaths >= MAX_DEAD_HINTS) return failTurn(ports, turnId);
  await ports.clock.sleep(backOffMs(Math.max(0, deaths - 1), HINT_AGAIN, ports.random));
  await hint(ports, journal);
  ports.observer.repaired('dead_hint');
}

/**
 * Competes with the model's step for its number. A process that has committed that step meanwhile has made progress.
 */
async function failTurn(ports: Ports, turnId: string): Promise<void> {
  const journal = await ports.store.readJournal(turnId);
  if (!journal || endingStep(journal)) return;
  const message = `No process could work on this turn: ${MAX_DEAD_HINTS} attempts failed in a row.`;
  const row = failRow(ports, journal, nextStepNumber(journal), { code: 'internal', message });
  const { won } = await ports.store.commitStep(row);
  if (!won) return;
  journal.steps.push(row);
  ports.observer.turnEnded(journal.turn, row);
  ports.observer.repaired('dead_turn');
  ports.log.error(turnLogFields(journal.turn), 'turn ended, too many of its hints were dead-lettered');
  await Promise.all([endTurn(ports, journal, row), releaseCalls(ports, journal)]);
}

async function settleDeadCall(
  ports: Ports,
  turnId: string,
  toolCallId: string,
  reason: string,
): Promise<void> {
  const journal = await ports.store.readJournal(turnId);
  const step = journal?.steps.find(({ calls }) => calls.some((call) => call.tool_call_id === toolCallId));
  const call = step?.calls.find((candidate) => candidate.tool_call_id === toolCallId);
  if (!journal || !step || !call) return;
  // The error of a handler is for operators only.
  const kind = reason.split(': handler failed')[0];
  const error = errorDetail('ToolExecutionError', `The call could not be delivered to a worker (${kind}).`);
  const by = { worker: ports.me, attempt: 0, at: timestampOf(ports.clock) };
  await compete(ports, labelled(journal, call), failedOutcome(step, call, error, by));
  ports.observer.repaired('dead_call');
  await hint(ports, journal);
}

/** The number of dead hints in a row after which a turn is ended. */
const MAX_DEAD_HINTS = 4;
/** Deaths further apart than this are unrelated. */
const WINDOW_MS = 10 * 60_000;

/**
 * The number of these dead letters that were recent hints of the turn since it last made progress. The times come from
 * several clocks; that is good enough, because they only bound the number of attempts.
 */
function deadHintsInARow(journal: Journal, letters: DeadLetter[], now: number): number {
  const progress = [...journal.steps, ...journal.outcomes, ...journal.answers].map(({ at }) =>
    Date.parse(at),
  );
  const since = Math.max(now - WINDOW_MS, ...progress);
  return letters.filter(({ queue, at }) => queue === 'turns' && Date.parse(at) > since).length;
}
