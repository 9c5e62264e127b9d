import type { Answer, Call, Claim, Journal, Outcome, StoodBack } from '#contracts';
import { controlKey, newMessage, turnHint } from '#contracts';
import type { PublishOutcome } from '#messaging';
import {
  decideAfterCompeting,
  holderOf,
  sendDeadlineOf,
  settleClaim,
  toolEndEvent,
  toolsetOf,
  type CallDecision,
  type HeldCall,
} from '#turn';
import { auditedCall } from './audit.js';
import type { AuditedCall } from './journal-observer.js';
import type { Ports } from './ports.js';

/** The part of a call that viewers and auditors see besides its id. */
export type CallLabel = Pick<Call, 'tool_name' | 'display_name' | 'source' | 'approval'> & {
  audited: AuditedCall;
};

/** Rows that carrying out a decision showed to exist. A process with a journal in memory adds them to it. */
export interface RowsWritten {
  claim?: Claim;
  outcome?: Outcome;
  answer?: Answer;
  /** Only for `publish`. */
  published?: PublishOutcome;
}

/**
 * Carries out the decision of `decideCall` about one call. Every action is idempotent: losing an insert is an answer.
 *
 * @param traceparent from which the worker of a published call continues the trace
 */
export async function carryOut(
  ports: Ports,
  journal: Journal,
  decision: CallDecision,
  traceparent = journal.turn.traceparent,
): Promise<RowsWritten> {
  const { step, call, action } = decision;
  switch (action.do) {
    case 'nothing':
    case 'await_person':
      return {};
    case 'expire':
      return { answer: await expire(ports, call, action.answer) };
    case 'publish':
      return { published: await publishCall(ports, journal, decision, traceparent) };
    case 'compete':
      return compete(ports, labelled(journal, call), action.outcome);
    case 'settle':
      return { outcome: await settle(ports, labelled(journal, call), action.outcome) };
    case 'cancel':
      await notifyOwners(ports, { ...call, turn_id: step.turn_id }, action);
      return {};
  }
}

/** A call of the journal in the form that settling it needs. */
export function labelled<C extends Call>({ turn }: Journal, call: C): C & CallLabel {
  return { ...call, audited: auditedCall(turn.user_id, call.arguments, turn) };
}

async function expire(ports: Ports, call: Call, answer: Answer): Promise<Answer> {
  const { won, row } = await ports.store.answer(answer);
  if (won)
    ports.bus.emit({
      type: 'approval_answered',
      conversation_id: row.conversation_id,
      turn_id: row.turn_id,
      timestamp: row.at,
      tool_call_id: call.tool_call_id,
      by: row.by,
      decision: 'expired',
    });
  return row;
}

/** Inserts the outcome and tells viewers. Returns the row that stands, this one or an earlier one. */
export async function settle(ports: Ports, call: CallLabel, outcome: Outcome): Promise<Outcome> {
  const { won, row } = await ports.store.settle(outcome);
  await ports.faultPoint('outcome_inserted');
  if (won) ports.bus.emit(toolEndEvent(call, row));
  // A process that carries out another process's decision finds the same outcome; viewers are told of it only once.
  const isSame = row.at === outcome.at && row.worker === outcome.worker;
  if (won || !isSame) ports.observer.callSettled(call, outcome, won);
  return row;
}

/** Gives up on a call by making sure that it can never start. If the claim is lost, the call may be running. */
export async function compete(
  ports: Ports,
  call: CallLabel & { tool_call_id: string },
  outcome: Outcome,
): Promise<RowsWritten> {
  const { won, row } = await ports.store.claim(settleClaim(outcome, ports.me));
  if (won) await ports.faultPoint('settle_claimed');
  const next = decideAfterCompeting(row, outcome);
  switch (next.do) {
    case 'settle':
      return { claim: row, outcome: await settle(ports, call, next.outcome) };
    case 'cancel':
      await notifyOwners(ports, { ...call, turn_id: outcome.turn_id }, { owners: [next.owner] });
      return { claim: row };
    case 'leave':
      return { claim: row };
  }
}

/** Tells the owners of a stopped call to stop, and which of them have stood back from it. */
export async function notifyOwners(
  ports: Ports,
  { tool_call_id, turn_id }: { tool_call_id: string; turn_id: string },
  { owners, stoodBack = [] }: { owners: string[]; stoodBack?: StoodBack[] },
): Promise<void> {
  const stood_back = stoodBack.length > 0 ? { stood_back: stoodBack } : {};
  const sendCancel = (owner: string) =>
    ports.bus.send(
      controlKey(owner),
      newMessage(ports, 'tool.cancel', { tool_call_id, turn_id, ...stood_back }),
    );
  await Promise.all(owners.map(sendCancel));
}

async function publishCall(
  ports: Ports,
  journal: Journal,
  open: HeldCall,
  traceparent: string | undefined,
): Promise<PublishOutcome> {
  const { step, call } = open;
  const toolset = toolsetOf(call.tool_name);
  const covered = {
    tool_call_id: call.tool_call_id,
    turn_id: step.turn_id,
    conversation_id: step.conversation_id,
    n: step.n,
    user_id: journal.turn.user_id,
    tool_name: call.tool_name,
    class: call.class,
    max_attempts: call.max_attempts,
    reply_to: controlKey(ports.me),
  };
  const body = {
    ...covered,
    arguments: call.arguments,
    timeout_ms: call.timeout_ms,
    deadline: new Date(sendDeadlineOf(journal, open)).toISOString(),
    tool_version: call.tool_version,
    logs: journal.turn.options.logs,
    token: ports.tokenOf?.(covered, open),
  };
  const message = newMessage(ports, 'tool.call', body, traceparent);
  return ports.bus.publish(`tools.${toolset}`, message);
}

/** Sends a hint to the turn's driver, or to any orchestrator if it has none. */
export async function hint(ports: Ports, journal: Journal): Promise<PublishOutcome> {
  const message = turnHint(ports, journal.turn);
  const driver = holderOf(journal, journal.turn._id)?.owner;
  if (driver && (await ports.bus.send(controlKey(driver), message)) === 'confirmed') return 'confirmed';
  return ports.bus.publish('turns', message);
}
