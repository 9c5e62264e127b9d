import { createHash } from 'node:crypto';
import { decodeMessage, type ToolCallBody } from '#contracts';
import { compete, hint, type Ports } from '#journal';
import type { DeadDelivery } from '#messaging';
import { endingStep, failedOutcome, failure } from '#turn';

const MAX_KEPT_CHARACTERS = 64 * 1024;

/**
 * Keeps what the broker gave up on. The turn of a dead hint is looked at again; a dead call that can be read competes for its
 * settle claim, so that no turn hangs; what cannot be parsed is only kept, because the sweeper hints again
 * what is in the journal.
 */
export async function keepDeadLetter(ports: Ports, dead: DeadDelivery): Promise<void> {
  const kind = dead.queue.startsWith('tools.') ? 'tools' : dead.queue === 'results' ? 'results' : 'turns';
  const decoded = decodeMessage(dead.content, kind);
  const { reason } = dead;
  await ports.store.putDeadLetter({
    _id: idOf(dead),
    queue: dead.queue,
    reason,
    message_id: dead.messageId,
    content: dead.content.toString('utf8').slice(0, MAX_KEPT_CHARACTERS),
    at: new Date().toISOString(),
  });
  ports.log.warn({ queue: dead.queue, reason, message_id: dead.messageId }, 'a message is dead');
  if (!decoded.ok) return;
  const { message } = decoded;
  if (message.type === 'tool.call') await settleDeadCall(ports, message.body, reason);
  else if (message.type === 'turn.advance' || message.type === 'tool.result')
    await hintSoon(ports, message.body.turn_id);
}

/** By way of the sweeper: whatever kills every hint of a turn must not do it as fast as the broker can. */
async function hintSoon(ports: Ports, turnId: string): Promise<void> {
  const journal = await ports.store.readJournal(turnId);
  if (journal && !endingStep(journal)) await ports.store.setTurnDue(turnId, Date.now());
}

/** The same message dies once: a repeated attempt to keep it adds no row. */
function idOf({ queue, messageId, content }: DeadDelivery): string {
  return createHash('sha256').update(`${queue}\n${messageId}\n`).update(content).digest('hex');
}

async function settleDeadCall(ports: Ports, body: ToolCallBody, reason: string): Promise<void> {
  const journal = await ports.store.readJournal(body.turn_id);
  const step = journal?.steps.find((candidate) =>
    candidate.calls.some((call) => call.tool_call_id === body.tool_call_id),
  );
  const call = step?.calls.find((candidate) => candidate.tool_call_id === body.tool_call_id);
  if (!journal || !step || !call) return;
  const error = failure('ToolExecutionError', `The call could not be delivered to a worker (${reason}).`);
  const by = { worker: ports.me, attempt: 0, at: new Date().toISOString() };
  await compete(ports, call, failedOutcome(step, call, error, by));
  await hint(ports, journal);
}
