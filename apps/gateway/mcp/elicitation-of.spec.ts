import { describe, expect, it } from '@jest/globals';
import type { CallView } from '#contracts';
import { elicitationOf, wantsAccount, whyNotAsked } from './elicitation-of.js';

const waiting = (args: Record<string, unknown>) =>
  elicitationOf({ state: 'awaiting_approval', display_name: 'files.send', args } as CallView);

describe('the elicitation for a call that waits for approval', () => {
  it('has no invisible characters', () => {
    expect(waiting({ name: 'invoice\u202efdp.exe' }).message).toBe(
      'files.send wants to run with {"name":"invoice\\u202efdp.exe"}',
    );
  });

  it('states how much of long arguments is not shown', () => {
    const { message } = waiting({ text: 'x'.repeat(2_100) });
    expect(message).toMatch(/x… and 111 more characters, which are not shown here$/);
  });
});

const call = (fields: Partial<CallView>): CallView =>
  ({ display_name: 'notes:whoami', state: 'awaiting_input', ...fields }) as CallView;
const question = {
  number: 1,
  message: 'notes acts with your account there. Connect it at https://chat.example.com.',
  schema: {},
};

describe('a call that waits for access to an account', () => {
  it('is refused over /mcp with where to connect it, and with nothing that could be used there', () => {
    const waiting = call({ question: { ...question, connection: 'a-flow' } });
    expect(wantsAccount(waiting)).toBe(true);
    const { type, message } = whyNotAsked(waiting);
    expect(type).toBe('AuthenticationError');
    expect(message).toContain('Connect it at https://chat.example.com.');
    expect(message).not.toContain('a-flow');
  });

  it('is none of those that a client can answer', () => {
    expect(wantsAccount(call({ question }))).toBe(false);
    expect(wantsAccount(call({ state: 'awaiting_approval' }))).toBe(false);
    expect(whyNotAsked(call({ question })).type).toBe('PermissionError');
  });
});
