import type { inputRequired } from '@modelcontextprotocol/server';
import type { CallView } from '#contracts';
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
