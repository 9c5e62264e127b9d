import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Action } from '#journal';
import {
  at,
  callId,
  callRow,
  CONVERSATION_ID,
  openPorts,
  outcomeRow,
  stepRow,
  TURN_ID,
  turnRow,
  answerRow,
  type TestPorts,
} from '#journal/testing';
import { SeededRandom, VirtualClock } from '#time/testing';
import type { User } from '../people/auth/user.js';
import { Approvals } from './approvals.js';

const CHIEF = { id: 'cleo', isOperator: false, roles: ['chief'] };
const SECOND_MS = 1_001;

let clock: VirtualClock;
let ports: TestPorts;
let noted: Action[];
let approvals: Approvals;
beforeEach(async () => {
  const random = new SeededRandom(1);
  clock = new VirtualClock(random);
  ports = await openPorts('gateway-1', { clock, random });
  noted = [];
  approvals = new Approvals({
    store: ports.store,
    clock,
    roles: { of: async ({ roles }) => [...roles] },
    actions: { note: (action) => void noted.push(action) },
    nameOf: async (id) => (id === 'user_1' ? 'Ann' : undefined),
  });
  const asked = { approval: 'required' as const, approvers: ['chief'], expires_at: at(60_000) };
  const args = { amount: 5, to: 'pay\u200bpal' };
  await ports.store.insertTurn({ ...turnRow(), content: 'a secret' });
  const calls = [callRow(1, { ...asked, arguments: args }), callRow(2, { ...asked, approvers: ['auditor'] })];
  await ports.store.commitStep(stepRow(1, { calls, blocks: [{ type: 'text', text: 'a secret' }] }));
  for (const [i, { tool_call_id: _id, approvers = [] }] of calls.entries())
    await ports.store.keepApprovalRequest({
      user_id: 'user_1',
      _id,
      turn_id: TURN_ID,
      conversation_id: CONVERSATION_ID,
      approvers,
      at: at(i),
      due_at: 9e15,
    });
});

/** Once what was read before is old. */
async function listAll(user: User) {
  await clock.advance(SECOND_MS);
  const listing = approvals.list(user);
  await clock.advance(100);
  return listing;
}

async function list(user: User = CHIEF): Promise<string[]> {
  return (await listAll(user)).map(({ tool_call_id }) => tool_call_id);
}

describe('what a user may approve for others', () => {
  it('is the tool, its visible arguments and whose call it is, and nothing else', async () => {
    expect(await listAll(CHIEF)).toEqual([
      {
        turn_id: TURN_ID,
        tool_call_id: callId(1),
        tool_name: 'math.add',
        display_name: 'add',
        arguments: String.raw`{"amount":5,"to":"pay\u200bpal"}`,
        approvers: ['chief'],
        user_id: 'user_1',
        username: 'Ann',
        asked_at: at(1),
        expires_at: at(60_000),
      },
    ]);
  });

  it('is that of the user’s roles, never the user’s own', async () => {
    expect(await list({ ...CHIEF, roles: ['auditor'] })).toEqual([callId(2)]);
    expect(await list({ ...CHIEF, roles: ['auditor', 'chief'] })).toEqual([callId(1), callId(2)]);
    expect(await list({ ...CHIEF, roles: ['clerk', 'operator'] })).toEqual([]);
    expect(await list({ ...CHIEF, id: 'user_1' })).toEqual([]);
  });

  it('is audited once for each person and call', async () => {
    await list();
    await list();
    await list({ ...CHIEF, id: 'carl' });
    const shown = { audit: 'approval_shown', turn_id: TURN_ID, tool_call_id: callId(1), tool: 'math.add' };
    expect(noted).toEqual([
      { ...shown, user_id: 'cleo' },
      { ...shown, user_id: 'carl' },
    ]);
  });

  it.each([
    ['was answered', (store: TestPorts['store']) => store.answer(answerRow(1, { decision: 'deny' }))],
    ['has an outcome', (store: TestPorts['store']) => store.settle(outcomeRow(1))],
    [
      'was stopped with its turn',
      (store: TestPorts['store']) => store.commitStep(stepRow(2, { kind: 'cancel' })),
    ],
  ])('is no longer a call that %s, and its request is removed', async (_what, end) => {
    await end(ports.store);
    expect(await list()).toEqual([]);
    const left = (await ports.store.listApprovalRequests(5)).map(({ _id }) => _id);
    expect(left).not.toContain(callId(1));
  });
});

it('many calls of one user do not hide another’s', async () => {
  for (let i = 0; i < 150; i++) {
    const _id = callId(1_000 + i);
    const place = { turn_id: TURN_ID, conversation_id: CONVERSATION_ID, user_id: 'flood' };
    await ports.store.keepApprovalRequest({
      _id,
      ...place,
      approvers: ['chief'],
      at: at(-500),
      due_at: 9e15,
    });
  }
  expect(await list()).toEqual([callId(1)]);
});
