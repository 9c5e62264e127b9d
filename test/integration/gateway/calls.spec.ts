import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import { callId, callRow, claimRow, CONVERSATION_ID, outcomeRow, stepRow, turnRow } from '#journal/testing';
import { signToken } from '../../../apps/gateway/people/auth/json-web-token.adapter.js';
import { JWT_SECRET, startHarness, type Harness } from './gateway-harness.js';
import { runSwitchyard } from './switchyard-command.js';

const AUTH = { kind: 'jwt' as const, secret: JWT_SECRET };
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ config: { auth: AUTH } });
  const { store } = harness;
  const at = new Date().toISOString();
  const row = { title: '', policy: 'enqueue' as const, created_at: at, updated_at: at };
  await store.insertConversation({ _id: CONVERSATION_ID, user_id: 'somebody-else', ...row });
  await store.insertConversation({ _id: 'conv_empty', user_id: 'somebody-else', ...row });
  await store.insertTurn(turnRow());
  const secret = { arguments: { a: 'a value that nobody may read' } };
  const calls = [callRow(1, secret), callRow(2, secret), callRow(3, secret)];
  await store.commitStep(stepRow(1, { calls, stop_reason: 'tool_use' }));
  await store.claim(claimRow(callId(1), 'worker-1', 1));
  await store.claim(claimRow(callId(1), 'worker-2', 2));
  await store.settle(
    outcomeRow(1, { attempt: 2, worker: 'worker-2', data: { text: 'nor this \u001b[31m' } }),
  );
  await store.claim(claimRow(callId(2), 'worker-1', 1));
  const error = { error_type: 'OutcomeUnknown', error_message: 'It may have run.' };
  await store.settle(outcomeRow(2, { status: 'failure', data: null, error }));
});
afterAll(() => harness.stop());

function tokenOf(role?: 'operator') {
  return signToken(new SystemClock(), { id: 'ann', isOperator: role === 'operator' }, 1, AUTH);
}

async function ask(path: string, token: string) {
  const response = await fetch(`${harness.url}/api/admin/conversations/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, text: await response.text() };
}

const switchyard = (token: string, ...words: string[]) => runSwitchyard(harness.url, token, ...words);

describe('the calls of a conversation', () => {
  it('are listed for operators, for every owner, from claims and outcomes, without values', async () => {
    const { status, text } = await ask(`${CONVERSATION_ID}/calls`, await tokenOf('operator'));
    expect(status).toBe(200);
    expect(text).not.toMatch(/nobody may read|nor this/);
    expect(JSON.parse(text)).toMatchObject({
      calls: [
        {
          tool_call_id: callId(1),
          turn_number: 1,
          step: 1,
          state: 'succeeded',
          attempt: 2,
          worker: 'worker-2',
          duration_ms: 3,
          claims: [
            { n: 1, owner: 'worker-1', purpose: 'run' },
            { n: 2, owner: 'worker-2', purpose: 'run' },
          ],
        },
        { tool_call_id: callId(2), state: 'unknown', error_type: 'OutcomeUnknown' },
        { tool_call_id: callId(3), state: 'queued', attempt: 0, claims: [] },
      ],
    });
  });

  it('are hidden from other users', async () => {
    expect((await ask(`${CONVERSATION_ID}/calls`, await tokenOf())).status).toBe(403);
  });

  it('are not found for an unknown conversation, and an invalid page is refused', async () => {
    const token = await tokenOf('operator');
    expect((await ask('conv_none/calls', token)).status).toBe(404);
    expect((await ask('%00/calls', token)).status).toBe(404);
    expect((await ask(`${CONVERSATION_ID}/calls?limit=0`, token)).status).toBe(422);
  });

  it('are a table on the command line, page after page', async () => {
    const token = await tokenOf('operator');
    const lines = (await switchyard(token, 'calls', '--conversation', CONVERSATION_ID)).trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^TURN +STEP +CALL +TOOL +STATE +ATTEMPT +WORKER +MS +ERROR +ASKED +ENDED$/);
    expect(lines[1]).toMatch(/^1 +1 +call_0+1 +math\.add +succeeded +2 +worker-2 +3 +- /);
    expect(lines[2]).toMatch(/unknown +1 +worker-1 +3 +OutcomeUnknown /);
    expect(lines[3]).toMatch(/queued +0 +- +- +- .* -$/);
    const json = await switchyard(token, 'calls', '--conversation', CONVERSATION_ID, '--json');
    expect(JSON.parse(json)).toHaveLength(3);
    expect(await switchyard(token, 'calls', '--conversation', 'conv_empty')).toBe('No tool was called.\n');
    await expect(switchyard(await tokenOf(), 'calls', '--conversation', CONVERSATION_ID)).rejects.toThrow(
      /Set SWITCHYARD_TOKEN to a token of an operator/,
    );
  });
});
