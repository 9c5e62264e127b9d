import type { inputRequired } from '@modelcontextprotocol/server';
import type { CallView } from '#contracts';

/** What a client asks its person about a call that waits. */
export function elicitationOf(call: CallView): Parameters<typeof inputRequired.elicit>[0] {
  if (call.state === 'awaiting_approval') {
    const approve = { type: 'boolean' as const, title: `Allow ${call.display_name}` };
    return {
      message: `${call.display_name} wants to run with ${JSON.stringify(call.args).slice(0, 2_000)}`,
      requestedSchema: { type: 'object', properties: { approve }, required: ['approve'] },
    };
  }
  const { message = '', schema = {} } = call.question ?? {};
  return {
    message,
    requestedSchema: schema as Parameters<typeof inputRequired.elicit>[0]['requestedSchema'],
  };
}
