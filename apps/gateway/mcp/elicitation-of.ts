import type { inputRequired } from '@modelcontextprotocol/server';
import type { CallView, ErrorType } from '#contracts';
import { cutVisibleJson, toVisibleText } from '#turn';

/** Of the arguments of a call that waits for approval. */
const MAX_SHOWN = 2_000;

/** The question that a client shows to its user about a waiting call. */
export function elicitationOf(call: CallView): Parameters<typeof inputRequired.elicit>[0] {
  if (call.state === 'awaiting_approval') {
    const name = toVisibleText(call.display_name);
    const approve = { type: 'boolean' as const, title: `Allow ${name}` };
    return {
      message: `${name} wants to run with ${cutVisibleJson(call.args, MAX_SHOWN)}`,
      requestedSchema: { type: 'object', properties: { approve }, required: ['approve'] },
    };
  }
  const { message = '', schema = {} } = call.question ?? {};
  return {
    message,
    requestedSchema: schema as Parameters<typeof inputRequired.elicit>[0]['requestedSchema'],
  };
}

/** Only the page can take a person to an issuer: the way back ends in its browser. */
export function wantsAccount({ state, question }: CallView): boolean {
  return state === 'awaiting_input' && question?.connection !== undefined;
}

/** For a client that cannot be asked. */
export function whyNotAsked(call: CallView): { type: ErrorType; message: string } {
  const name = call.display_name;
  if (wantsAccount(call)) {
    const message = toVisibleText(call.question?.message ?? '');
    return {
      type: 'AuthenticationError',
      message: `${message} Ask for it in a chat there, then call ${name} again.`,
    };
  }
  const who = call.state === 'awaiting_approval' ? 'must be approved by' : 'asks';
  return {
    type: 'PermissionError',
    message: `${name} ${who} a person, and this client cannot be asked. Call it from a chat, or from a client that supports elicitation (2026-07-28).`,
  };
}
