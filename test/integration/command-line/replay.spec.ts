import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Journal, Replay, Step } from '#contracts';
import { AuditTrail, type Log } from '#journal';
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
import { createStore, type Store } from '#store';
import { SystemClock, systemTime } from '#time';
import { signToken } from '../../../apps/gateway/people/auth/json-web-token.adapter.js';
import { JWT_SECRET, startHarness, type Harness } from '../gateway/gateway-harness.js';
import { runCommand } from './run-command.js';

const AUTH = { kind: 'jwt' as const, secret: JWT_SECRET };
const REPLAY = ['replay', TURN_ID, '--dry-run'];
/** Sets the title of a terminal's window. */
const ESCAPE = '\u001b]0;owned\u0007';

const text = (said: string): Step['blocks'] => [{ type: 'text', text: said }];

/** Ann asks, a call is approved and answered, and the model says more than one line. */
async function plantTurn(store: Store, { isAnswered = true } = {}): Promise<Journal> {
  const at = new Date().toISOString();
  const row = { title: '', policy: 'enqueue' as const, created_at: at, updated_at: at };
  await store.insertConversation({ _id: CONVERSATION_ID, user_id: 'ann', ...row });
  await store.insertTurn({ ...turnRow(), user_id: 'ann', status: 'completed', due_at: null });
  await store.claim(claimRow(TURN_ID, 'orchestrator-1', 1));
  await store.claim(claimRow(callId(1), 'worker-1', 1));
  const calls = [callRow(1, { approval: 'required' })];
  const use = { type: 'tool_use' as const, tool_call_id: callId(1), name: 'math__add', arguments: { a: 2 } };
  const blocks = [...text('Let me see.'), use];
  await store.commitStep(stepRow(1, { calls, blocks, stop_reason: 'tool_use' }));
  await store.answer(answerRow(1, { decision: 'approve', by: 'ann' }));
  if (isAnswered) await store.settle(outcomeRow(1, { data: { text: `five${ESCAPE}` } }));
  await store.commitStep(stepRow(2, { blocks: text('It is 5.\nSTEP 3 looks like one.') }));
  return (await store.readJournal(TURN_ID))!;
}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-replay-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function inFolder<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const store = createStore({ dataDir: folder });
  await store.open();
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

describe('switchyard replay, with access to the store', () => {
  it('shows what was asked, said, called and answered, line by line', async () => {
    await inFolder(plantTurn);
    const { text: shown, code } = await runCommand({ DATA_DIR: folder }, ...REPLAY);
    expect(code).toBe(0);
    const lines = shown.split('\n').map((line) => line.replace(/\d{4}-[\d-]+T\S+/, 'AT'));
    expect(lines).toEqual([
      `Turn 1 of ${CONVERSATION_ID} (${TURN_ID}), of user ann, played from its journal: nothing runs.`,
      'MESSAGE  AT',
      '    | Question',
      'STEP 1  AT  model  attempt 100  tool_use  10 tokens in, 5 out',
      '    | Let me see.',
      `  CALL ${callId(1)}  math.add`,
      '    | {"a":2}',
      '  APPROVAL  AT  approve by ann',
      '  succeeded  attempt 1, by worker-1, 3 ms',
      '    | five\uFFFD]0;owned\uFFFD',
      'STEP 2  AT  model  attempt 100  end_turn  10 tokens in, 5 out',
      '    | It is 5.',
      '    | STEP 3 looks like one.',
      'STATUS  completed, then: nothing',
      'This version decides as was recorded, at each of 2 steps.',
      expect.stringMatching(/^Left out: earlier turns .*\.$/),
      '',
    ]);
  });

  it('changes nothing but leaves a record of who read it', async () => {
    const before = await inFolder(plantTurn);
    await runCommand({ DATA_DIR: folder }, ...REPLAY, '--json');
    await inFolder(async (store) => {
      expect(await store.readJournal(TURN_ID)).toEqual(before);
      expect(await store.listAuditRecords({ conversation_id: CONVERSATION_ID, limit: 9 })).toEqual([
        expect.objectContaining({
          audit: 'turn_replayed',
          turn_id: TURN_ID,
          user_id: expect.stringMatching(/.+@.+/),
        }),
      ]);
    });
  });

  it('ends with 1 where this version would have done something else', async () => {
    await inFolder((store) => plantTurn(store, { isAnswered: false }));
    const { text: shown, code } = await runCommand({ DATA_DIR: folder }, ...REPLAY);
    expect(code).toBe(1);
    expect(shown).toContain(
      `This version would have done something else:\n  Step 2 was recorded, but these calls before it have no outcome: ${callId(1)}.`,
    );
  });

  it.each([
    ['without --dry-run', ['replay', TURN_ID], /never run again\. Add --dry-run/],
    ['for an unknown turn', ['replay', 'turn_x', '--dry-run'], /^There is no turn turn_x in /],
    ['for a turn of a deleted conversation', REPLAY, /^There is no turn turn_1 in /],
  ])('ends with 2 %s, and leaves no record', async (_what, words, message) => {
    await inFolder(async (store) => {
      await plantTurn(store);
      await store.updateConversation(CONVERSATION_ID, { deleted_at: new Date().toISOString() });
    });
    await expect(runCommand({ DATA_DIR: folder }, ...words)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(message),
    });
    expect(await inFolder((store) => store.listAuditRecords({ limit: 9 }))).toEqual([]);
  });

  it('creates no store where there is none', async () => {
    const environment = { DATA_DIR: join(folder, 'none') };
    await expect(runCommand(environment, ...REPLAY)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^The turn could not be read: There is no store in /),
    });
  });
});

describe('switchyard replay, with the token of the owner', () => {
  let harness: Harness;
  let trail: AuditTrail;
  beforeEach(async () => {
    const alter = ({ store, logger: log }: { store: Store; logger: Pick<Log, 'warn'> }) => {
      trail = new AuditTrail({ ...systemTime(), store, log, days: 30 });
      return { auditTrail: trail };
    };
    harness = await startHarness({ config: { auth: AUTH }, alter });
  });
  afterEach(() => harness.stop());

  async function runAs(id: string, isOperator = false) {
    const token = await signToken(new SystemClock(), { id, isOperator }, 1, AUTH);
    return runCommand({ SWITCHYARD_TOKEN: token }, '--url', harness.url, ...REPLAY, '--json');
  }

  it('asks the process, which leaves a record', async () => {
    await plantTurn(harness.store);
    const { text: shown } = await runAs('ann');
    expect(JSON.parse(shown) as Replay).toMatchObject({
      status: 'completed',
      steps: [{ calls: [{ args: { a: 2 }, answers: [{ decision: 'approve', by: 'ann' }] }] }, { n: 2 }],
      next: 'nothing',
      differences: [],
    });
    await trail.close();
    const record = { audit: 'turn_replayed', user_id: 'ann', turn_id: TURN_ID };
    expect(await harness.store.listAuditRecords({ limit: 9 })).toEqual([expect.objectContaining(record)]);
  });

  it('shows nothing to others, operators too', async () => {
    await plantTurn(harness.store);
    for (const [id, isOperator] of [
      ['bob', false],
      ['olga', true],
    ] as const)
      await expect(runAs(id, isOperator)).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining(`There is no turn ${TURN_ID} of the user of SWITCHYARD_TOKEN`),
      });
    await trail.close();
    expect(await harness.store.listAuditRecords({ limit: 9 })).toEqual([]);
  });
});
