import { describe, expect, it } from '@jest/globals';
import type { CallView } from '#contracts';
import { elicitationOf } from './elicitation-of.js';

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
