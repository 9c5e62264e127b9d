import { describe, expect, it } from '@jest/globals';
import { encodeMessage, newMessage, type Call, type CatalogTool, type Step } from '#contracts';
import { ArgumentValidator } from '#tools';
import { DEFAULT_BUDGETS } from '#turn';
import { InPlaceChecks } from '#tools/testing';
import { systemTime } from '#time';
import type { AskedCall } from '../ask/step-part.js';
import { refuseEndless, resolveCalls, withDataFiles, type CallRules } from './resolve-calls.js';

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
  pauseOf: () => undefined,
  offered: [tool],
  whyNotOffered: () => undefined,
  needsApproval: () => false,
  earlier: [],
  approversOf: () => undefined,
  identicalCallsOf: () => undefined,
  completeArguments: (_tool, args) => args,
  validator: new ArgumentValidator({
    slowChecks: new InPlaceChecks(),
    refusals: { note: () => undefined },
  }),
  userId: 'ann',
  budgets: DEFAULT_BUDGETS,
  now: 0,
};
const ask = (asked: Pick<AskedCall, 'arguments' | 'raw'>): AskedCall => ({
  tool_call_id: 'call_1',
  name: 'mail__send',
  ...asked,
});

describe('a call whose message no worker would accept', () => {
  const resolve = async (args: Record<string, unknown>, more: Partial<CallRules> = {}) => {
    const asked = [ask({ arguments: args, raw: '' })];
    return (await resolveCalls(asked, 'tool_use', { ...rules, ...more }))[0]!;
  };
  const bytesOf = (call: Call) =>
    encodeMessage(
      newMessage(systemTime(), 'tool.call', {
        ...call,
        tool_call_id: `call_${'0'.repeat(22)}`,
        turn_id: 't'.repeat(128),
        conversation_id: 'c'.repeat(128),
        n: 1_000,
        user_id: rules.userId,
        deadline: new Date().toISOString(),
        logs: true,
        reply_to: `orchestrator.${'0'.repeat(64)}`,
      }),
    ).byteLength;

  it('is refused before the step is committed, with its size and the limit', async () => {
    const most = 1024 * 1024 - 4 * 1024 - 5 - 8;
    const fits = await resolve({ to: 'a'.repeat(most - 1) });
    expect(fits.refusal).toBeUndefined();
    expect(bytesOf(fits)).toBeLessThanOrEqual(1024 * 1024);
    const { refusal } = await resolve({ to: 'a'.repeat(most) });
    expect(refusal).toMatchObject({
      error_type: 'ValidationError',
      error_message:
        'The arguments take 1044476 bytes as JSON; a call takes at most 1044475. Send less, or split it into several calls.',
    });
  });

  it('is refused by its size in bytes, not in characters', async () => {
    expect((await resolve({ to: '€'.repeat(400_000) })).refusal?.error_message).toMatch(/take 1200009 bytes/);
  });

  it('is refused when it is nested deeper than a message may be', async () => {
    const nested = (levels: number) =>
      Array.from({ length: levels - 1 }).reduce<Record<string, unknown>>((inner) => ({ inner }), {});
    expect((await resolve(nested(30))).refusal).toBeUndefined();
    expect((await resolve(nested(31))).refusal?.error_message).toBe(
      'The arguments nest more than 30 levels.',
    );
  });

  it('keeps its original arguments in its row, not the files that made it too large', async () => {
    const file = 'x'.repeat(2_000_000);
    const call = await resolve({ to: 'a' }, { completeArguments: (_tool, args) => ({ ...args, file }) });
    expect(call).toMatchObject({ arguments: { to: 'a' }, refusal: { error_type: 'ValidationError' } });
  });
});

describe('a call with unreadable arguments', () => {
  it('is refused with a ValidationError that names, cuts and masks them', async () => {
    const raw = `{"to": "ann", "password": "hunter2", "api_key": hunter3, "note": "${'x'.repeat(500)}`;
    const [call] = await resolveCalls([ask({ arguments: undefined, raw })], 'tool_use', rules);
    const details = call!.refusal!.error_details as Record<string, string>;
    expect(details).toMatchObject({ parameter: 'arguments', constraint: 'JSON object' });
    expect(details.provided_value).toContain(
      '{"to": "ann", "password": "***", "api_key": "***", "note": "xxx',
    );
    expect(details.provided_value!.length).toBeLessThanOrEqual(200);
  });

  it('is also refused when the model was cut off in the middle, regardless of what could be read', async () => {
    const calls = [ask({ arguments: { to: 'ann' }, raw: '' }), ask({ arguments: { to: 'a' }, raw: '' })];
    const [whole, cutOff] = await resolveCalls(calls, 'max_tokens', rules);
    expect(whole!.refusal).toBeUndefined();
    expect(cutOff!.refusal).toMatchObject({
      error_type: 'ValidationError',
      error_details: { parameter: 'arguments', provided_value: null, constraint: 'complete arguments' },
    });
  });
});

describe('data files of a turn', () => {
  const toolOf = (input_schema: object) => ({ input_schema }) as CatalogTool;
  const plots = toolOf({ type: 'object', properties: { code: {}, dataFiles: { type: 'object' } } });
  const data_files = [{ name: 'sales', file: 'sales.2024.csv' }];

  it('replace the model’s invention in a tool that takes data files', () => {
    const dataFiles = { sales: 'sales.2024.csv' };
    expect(withDataFiles(plots, { code: 'x' }, { data_files })).toEqual({ code: 'x', dataFiles });
    expect(withDataFiles(plots, { dataFiles: { a: 'b' } }, { data_files })).toEqual({ dataFiles });
  });

  it('leave other tools, turns without files and unreadable arguments unchanged', () => {
    const args = { code: 'x' };
    expect(withDataFiles(toolOf({ type: 'object' }), args, { data_files })).toBe(args);
    expect(withDataFiles(plots, args, {})).toBe(args);
    expect(withDataFiles(plots, undefined, { data_files })).toBeUndefined();
  });
});

it('calls for the third time in a row are refused, and keep why they could not be sent at all', () => {
  const call = { tool_name: 'mail.send', arguments: {}, approval: 'none' } as unknown as Call;
  const refusal = { error_type: 'ToolNotFound', error_message: 'There is no mail.sent.' };
  const unknown = { ...call, tool_name: 'mail.sent', refusal };
  const steps = [1, 2].map((n) => ({ n, kind: 'model', calls: [call, unknown] }) as unknown as Step);
  expect(refuseEndless([call, unknown], steps).map((refused) => refused.refusal?.error_type)).toEqual([
    'Cancelled',
    'ToolNotFound',
  ]);
});
