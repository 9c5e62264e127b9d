import { describe, expect, it } from '@jest/globals';
import type { CatalogTool } from '#contracts';
import { ArgumentValidator } from '#tools';
import { DEFAULT_BUDGETS } from '#turn';
import { resolveCalls, type CallRules } from './resolve-calls.js';
import type { AskedCall } from './stream-step.js';

const tool: CatalogTool = {
  name: 'mail.send',
  own_name: 'send',
  description: 'Sends a mail.',
  input_schema: { type: 'object' },
  class: 'once',
  timeout_ms: 1_000,
  hash: 'hash',
  toolset: 'mail',
  source: 'local',
  display_name: 'send',
};
const rules: CallRules = {
  catalogue: [tool],
  offered: [tool],
  whyNotOffered: () => undefined,
  needsApproval: () => false,
  earlier: [],
  identicalCallsOf: () => undefined,
  completeArguments: (_tool, args) => args,
  validator: new ArgumentValidator(),
  userId: 'ann',
  budgets: DEFAULT_BUDGETS,
  now: 0,
};
const ask = (asked: Pick<AskedCall, 'arguments' | 'raw'>): AskedCall => ({
  tool_call_id: 'call_1',
  name: 'mail__send',
  ...asked,
});

describe('a call with arguments that cannot be read', () => {
  it('is refused as a ValidationError that names, cuts and masks them', async () => {
    const raw = `{"to": "ann", "password": "hunter2", "api_key": hunter3, "note": "${'x'.repeat(500)}`;
    const [call] = await resolveCalls([ask({ arguments: undefined, raw })], 'tool_use', rules);
    const details = call!.refusal!.error_details as Record<string, string>;
    expect(details).toMatchObject({ parameter: 'arguments', constraint: 'JSON object' });
    expect(details.provided_value).toContain(
      '{"to": "ann", "password": "***", "api_key": "***", "note": "xxx',
    );
    expect(details.provided_value!.length).toBeLessThanOrEqual(200);
  });

  it('is refused as well when the model was cut off in the middle, whatever could be read', async () => {
    const calls = [ask({ arguments: { to: 'ann' }, raw: '' }), ask({ arguments: { to: 'a' }, raw: '' })];
    const [whole, cutOff] = await resolveCalls(calls, 'max_tokens', rules);
    expect(whole!.refusal).toBeUndefined();
    expect(cutOff!.refusal).toMatchObject({
      error_type: 'ValidationError',
      error_details: { parameter: 'arguments', provided_value: null, constraint: 'complete arguments' },
    });
  });
});
