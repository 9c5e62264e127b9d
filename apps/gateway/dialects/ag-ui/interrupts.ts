import { isObject, type CallView, type TurnView } from '#contracts';
import type { Interrupt } from './ag-ui-event.js';

const APPROVAL_SCHEMA = {
  type: 'object',
  properties: { approved: { type: 'boolean' } },
  required: ['approved'],
};

/** An answer in a run's input. */
export interface ResumeEntry {
  interruptId: string;
  status: 'resolved' | 'cancelled';
  payload?: unknown;
}

/** The meaning of such an answer for a call. */
export type CallAnswer = { tool_call_id: string } & (
  | { kind: 'approval'; decision: 'approve' | 'deny' }
  | { kind: 'input'; number: number; content?: Record<string, unknown> }
);

/** The questions to its user of a turn that waits only for people. */
export function interruptsOf({ status, steps }: TurnView): Interrupt[] {
  if (status !== 'awaiting_input') return [];
  return steps.flatMap(({ calls }) => calls).flatMap(toInterrupt);
}

function toInterrupt(call: CallView): Interrupt[] {
  const { tool_call_id: toolCallId, expires_at } = call;
  const expiry = expires_at === undefined ? {} : { expiresAt: expires_at };
  // The user cannot answer for others: the run goes on until they have answered.
  if (call.approvers) return [];
  if (call.state === 'awaiting_approval')
    return [
      {
        id: `${toolCallId}:approval`,
        reason: 'tool_approval',
        message: `May ${call.display_name} run with these arguments?`,
        toolCallId,
        responseSchema: APPROVAL_SCHEMA,
        ...expiry,
      },
    ];
  if (call.state !== 'awaiting_input' || !call.question) return [];
  const { number, message, schema } = call.question;
  const id = `${toolCallId}:input:${number}`;
  return [{ id, reason: 'input_required', message, toolCallId, responseSchema: schema, ...expiry }];
}

/** Undefined for an unknown interrupt id, or for a payload that is not an answer. */
export function toCallAnswer({ interruptId, status, payload }: ResumeEntry): CallAnswer | undefined {
  const parsed = /^(call_[A-Za-z0-9]{22}):(?:(approval)|input:([1-9]\d{0,8}))$/.exec(interruptId);
  if (!parsed) return undefined;
  const tool_call_id = parsed[1]!;
  const isResolved = status === 'resolved';
  if (parsed[2] === undefined) {
    const number = Number(parsed[3]);
    if (!isResolved) return { tool_call_id, kind: 'input', number };
    return isObject(payload) ? { tool_call_id, kind: 'input', number, content: payload } : undefined;
  }
  const approved = isResolved ? isApproval(payload) : false;
  if (approved === undefined) return undefined;
  return { tool_call_id, kind: 'approval', decision: approved ? 'approve' : 'deny' };
}

function isApproval(payload: unknown): boolean | undefined {
  const approved = isObject(payload) ? payload.approved : payload;
  return typeof approved === 'boolean' ? approved : undefined;
}
