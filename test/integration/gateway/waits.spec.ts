import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import type { FleetState, TurnTimeline } from '#contracts';
import {
  answerRow,
  callId,
  callRow,
  claimRow,
  CONVERSATION_ID,
  outcomeRow,
  stepRow,
  TURN_ID,
  turnRow,
} from '#journal/testing';
import { signToken } from '../../../apps/gateway/people/auth/json-web-token.adapter.js';
import { DRIVER_ID, JWT_SECRET, startHarness, type Harness } from './gateway-harness.js';
import { runSwitchyard } from './switchyard-command.js';

const AUTH = { kind: 'jwt' as const, secret: JWT_SECRET };
/** In everything that people, models and tools write. */
const CONTENT = 'PLANTED';
const OPERATOR_PATHS = [
  'status',
  'verify',
  'doctor',
  'audit',
  'turns',
  `turns/${TURN_ID}/timeline`,
  'dead-letters',
  'dead-letters/letter',
];

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ config: { auth: AUTH } });
  const { store } = harness;
  const at = new Date().toISOString();
  const row = { title: CONTENT, policy: 'enqueue' as const, created_at: at, updated_at: at };
  await store.insertConversation({ _id: CONVERSATION_ID, user_id: 'ann', ...row });
  const process = { host: 'here', beat: 0, version: '9.9.9', started_at: at };
  await store.insertProcess({ _id: DRIVER_ID, role: 'orchestrator', ...process });
  await store.insertProcess({ _id: 'worker-1', role: 'worker', ...process });
  await store.beat('worker-1', { toolsets: { math: { running: 1, slots: 16, per_second: 0.5 } } });
  await plantTurn();
});
afterAll(() => harness.stop());

/** A turn with two ended calls, a dead letter, and a third call that nobody has claimed. */
async function plantTurn(): Promise<void> {
  const { store } = harness;
  await store.insertTurn({ ...turnRow(), user_id: 'ann', content: CONTENT, due_at: Date.now() + 60_000 });
  await store.claim(claimRow(TURN_ID, 'orchestrator-9', 1));
  await store.claim({ ...claimRow(TURN_ID, DRIVER_ID, 2), evidence: 'dead' });
  const calls = [1, 2, 3].map((n) => callRow(n, { arguments: { text: CONTENT } }));
  const blocks = [{ type: 'text' as const, text: CONTENT }];
  await store.commitStep(stepRow(1, { blocks, calls, stop_reason: 'tool_use' }));
  await store.claim(claimRow(callId(1), 'worker-1', 1));
  await store.settle(outcomeRow(1, { worker: 'worker-1', data: { text: CONTENT } }));
  const error = { error_type: 'ToolExecutionError', error_message: CONTENT };
  await store.claim(claimRow(callId(2), 'worker-1', 1));
  await store.answer(
    answerRow(2, {
      _id: `${callId(2)}:question`,
      question: { message: CONTENT, schema: {}, expires_at: new Date().toISOString() },
    }),
  );
  await store.settle(outcomeRow(2, { status: 'failure', data: null, error, explanation: CONTENT }));
  const letter = {
    queue: 'tools.math',
    reason: `rejected: handler failed: Error: ${CONTENT}`,
    message_id: 'm',
    // As an earlier version kept it: the whole message.
    content: JSON.stringify({ type: 'tool.call', body: { turn_id: TURN_ID, arguments: { text: CONTENT } } }),
    size: 9,
  };
  await store.putDeadLetter({ _id: 'letter', ...letter, turn_id: TURN_ID, at: new Date().toISOString() });
}

function tokenOf(id: string, isOperator: boolean) {
  return signToken(new SystemClock(), { id, isOperator }, 1, AUTH);
}

async function ask(path: string, token: string, method = 'GET') {
  const response = await fetch(`${harness.url}/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, text: await response.text() };
}

const switchyard = (token: string, ...words: string[]) => runSwitchyard(harness.url, token, ...words);

describe('what operators see', () => {
  it('never contains what people, models or tools wrote', async () => {
    const token = await tokenOf('olga', true);
    for (const path of OPERATOR_PATHS) {
      const { status, text } = await ask(`admin/${path}`, token);
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toContain(CONTENT);
    }
    const replayed = await ask('admin/dead-letters/letter/replay', token, 'POST');
    expect(replayed.status).toBe(200);
    expect(replayed.text).not.toContain(CONTENT);
    for (const words of [
      ['status'],
      ['toolsets'],
      ['turns', 'list'],
      ['turns', 'show', TURN_ID],
      ['turns', 'why', TURN_ID],
      ['dead-letters', 'list'],
      ['dead-letters', 'show', 'letter'],
    ])
      for (const option of [[], ['--json']])
        expect(await switchyard(token, ...words, ...option)).not.toContain(CONTENT);
    expect(await (await fetch(`${harness.url}/metrics`)).text()).not.toContain(CONTENT);
  });

  it('is hidden from other users', async () => {
    const token = await tokenOf('ann', false);
    for (const path of OPERATOR_PATHS) expect((await ask(`admin/${path}`, token)).status).toBe(403);
  });

  it('is nothing for ids that are wrong or unknown, and an invalid page is refused', async () => {
    const token = await tokenOf('olga', true);
    for (const id of ['turn_none', '%00', '%2e%2e', 'x'.repeat(500)])
      expect((await ask(`admin/turns/${id}/timeline`, token)).status).toBe(404);
    for (const limit of ['0', '101', '-1', 'x'])
      expect((await ask(`admin/turns?limit=${limit}`, token)).status).toBe(422);
  });

  it('has processes with their load, and toolsets with their queues', async () => {
    const { text } = await ask('admin/status', await tokenOf('olga', true));
    const { processes, toolsets, queues } = JSON.parse(text) as FleetState;
    expect(processes).toContainEqual({
      id: 'worker-1',
      role: 'worker',
      host: 'here',
      beat: expect.any(Number),
      version: '9.9.9',
      started_at: expect.any(String),
      is_alive: true,
      load: { toolsets: { math: { running: 1, slots: 16, per_second: 0.5 } } },
    });
    expect(toolsets).toEqual([
      {
        name: 'math',
        calls: 0,
        workers: 0,
        running: 1,
        slots: 16,
        per_second: 0.5,
        estimate_ms: 0,
        draining: 0,
        is_paused: false,
      },
    ]);
    expect(queues).toEqual({ turns: expect.any(Number), results: 0, dead_letters: 0 });
  });

  it('has everything about a turn in the order of time, and why it waits', async () => {
    const { text } = await ask(`admin/turns/${TURN_ID}/timeline`, await tokenOf('olga', true));
    const { timeline, waiting } = JSON.parse(text) as TurnTimeline;
    const times = timeline.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
    const count = (what: string) => timeline.filter((entry) => entry.what === what).length;
    expect(timeline.map(({ what }) => [what, count(what)]).sort()).toEqual(
      expect.arrayContaining([
        ['message', 1],
        ['taken_up', 2],
        ['step', 1],
        ['call', 3],
        ['call_claimed', 2],
        ['call_ended', 2],
        ['question', 1],
        ['dead_letter', 1],
      ]),
    );
    expect(timeline).toContainEqual(
      expect.objectContaining({ what: 'taken_up', by: DRIVER_ID, attempt: 2, about: { evidence: 'dead' } }),
    );
    expect(timeline).toContainEqual(
      expect.objectContaining({
        what: 'dead_letter',
        about: { queue: 'tools.math', reason: 'rejected: handler failed', bytes: 9 },
      }),
    );
    expect(waiting).toMatchObject({ reason: 'no_worker', step: 1, tool_call_id: callId(3) });
  });

  it('is on the command line', async () => {
    const token = await tokenOf('olga', true);
    expect(await switchyard(token, 'status')).toMatch(
      /^worker-1 +here +9\.9\.9 +\S+ +alive +calls 1 of 16$/m,
    );
    expect(await switchyard(token, 'toolsets')).toMatch(/^math +0 +0 +1 +16 +0\.5 +0 s +-$/m);
    const why =
      'Call 3 of step 1 (math.add) waits for a worker of its toolset, and none is running: start one.';
    expect(await switchyard(token, 'turns', 'why', TURN_ID)).toBe(`${why}\n`);
    expect(await switchyard(token, 'turns', 'list')).toContain(`no_worker  ${why}`);
    expect(await switchyard(token, 'turns', 'show', TURN_ID)).toMatch(
      /taken_up +- +- +2 +\S+ +evidence=dead/,
    );
    await expect(switchyard(token, 'turns', 'show', 'turn_none')).rejects.toThrow(/not/i);
  });
});

describe('why an own turn waits', () => {
  it('is told to its owner, and to nobody else', async () => {
    const { status, text } = await ask(`turns/${TURN_ID}/waiting`, await tokenOf('ann', false));
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { waiting: expect.objectContaining({ reason: 'no_worker' }) },
    ]);
    for (const id of ['bob', 'olga'])
      expect((await ask(`turns/${TURN_ID}/waiting`, await tokenOf(id, id === 'olga'))).status).toBe(404);
  });
});
