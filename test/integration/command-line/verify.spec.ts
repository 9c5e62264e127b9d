import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
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
import { SystemClock } from '#time';
import { signToken } from '../../../apps/gateway/people/auth/json-web-token.adapter.js';
import { JWT_SECRET, startHarness, type Harness } from '../gateway/gateway-harness.js';
import { runCommand } from './run-command.js';

const AUTH = { kind: 'jwt' as const, secret: JWT_SECRET };
/** In everything that people, models and tools write. */
const CONTENT = 'PLANTED';
/** Sets the title of a terminal's window. */
const ESCAPE = '\u001b]0;owned\u0007';

/** A call that ended although nobody had claimed it. */
async function plantBrokenTurn(store: Store, conversation_id = CONVERSATION_ID): Promise<void> {
  const at = new Date().toISOString();
  const row = { title: CONTENT, policy: 'enqueue' as const, created_at: at, updated_at: at };
  await store.insertConversation({ _id: conversation_id, user_id: 'ann', ...row });
  await store.insertTurn({ ...turnRow(), conversation_id, content: CONTENT });
  await store.claim(claimRow(TURN_ID, 'orchestrator-1', 1));
  const calls = [callRow(1, { arguments: { text: CONTENT } })];
  await store.commitStep(
    stepRow(1, { calls, blocks: [{ type: 'text', text: CONTENT }], stop_reason: 'tool_use' }),
  );
  await store.settle(outcomeRow(1, { data: { text: CONTENT } }));
}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-verify-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('switchyard verify', () => {
  async function plantFolder(plant: (store: Store) => Promise<void>): Promise<void> {
    const store = createStore({ dataDir: folder });
    await store.open();
    await plant(store);
    await store.close();
  }

  it('checks the file of a stopped process, and ends with 0 when all holds', async () => {
    await plantFolder(async (store) => void (await store.insertTurn({ ...turnRow(), due_at: 1 })));
    expect(await runCommand({ DATA_DIR: folder }, 'verify')).toEqual({
      text: `Checked 0 conversations with 0 turns in ${folder}: every invariant holds.\n`,
      code: 0,
    });
  });

  it('lists what is broken, what it means and what to do, and ends with 1', async () => {
    await plantFolder(plantBrokenTurn);
    const { text, code } = await runCommand({ DATA_DIR: folder }, 'verify');
    expect(code).toBe(1);
    expect(text).toContain(`Checked 1 conversations with 1 turns in ${folder}: 1 broken.`);
    expect(text).toMatch(new RegExp(`^outcome_claimed +${CONVERSATION_ID} +${TURN_ID} +${callId(1)}$`, 'm'));
    expect(text).toContain('A call has an outcome of an attempt that nobody claimed.');
    expect(text).toContain('acknowledged writes');
    expect(text).not.toContain(CONTENT);
    const json = await runCommand({ DATA_DIR: folder }, 'verify', '--json');
    expect([json.code, JSON.parse(json.text)]).toMatchObject([
      1,
      {
        turns: 1,
        broken: 1,
        listed: [{ invariant: 'outcome_claimed', turn_id: TURN_ID, means: expect.any(String) }],
      },
    ]);
    expect(json.text).not.toContain(CONTENT);
  });

  it('shows ids of rows that others wrote without obeying them', async () => {
    await plantFolder((store) => plantBrokenTurn(store, `conv_${ESCAPE}`));
    const { text } = await runCommand({ DATA_DIR: folder }, 'verify');
    expect(text).toContain('conv_\uFFFD]0;owned');
    expect(text).not.toContain('\u001b');
  });

  it.each([
    ['there is no store', { DATA_DIR: '/nonexistent' }, ['verify'], /There is no store in/],
    ['a variable is wrong', { MONGODB_URL: 'mysql://user:secret@host' }, ['verify'], /MONGODB_URL must be/],
    ['no process answers', {}, ['--url', 'http://127.0.0.1:9', 'verify'], /No gateway answers/],
  ])('ends with 2 when %s, and names no secret', async (_why, environment, words, message) => {
    const error: unknown = await runCommand(environment as Record<string, string>, ...words).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
    expect((error as Error).message).toMatch(/^The store could not be checked: /);
    expect((error as Error).message).not.toContain('secret');
  });
});

describe('GET /api/admin/verify', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness({ config: { auth: AUTH } });
  });
  afterEach(() => harness.stop());

  const tokenOf = (id: string, isOperator: boolean) =>
    signToken(new SystemClock(), { id, isOperator }, 1, AUTH);

  it('checks the store of a running process, whose folder is locked, page by page', async () => {
    const locker = createStore({ dataDir: folder });
    await locker.open();
    await plantBrokenTurn(harness.store);
    for (let n = 0; n < 600; n++)
      await harness.store.insertConversation({
        ...(await harness.store.getConversation(CONVERSATION_ID))!,
        _id: `conv_${String(n).padStart(4, '0')}`,
      });
    const environment = { DATA_DIR: folder, SWITCHYARD_TOKEN: await tokenOf('olga', true) };
    // Without `--url`, the port is the default one, and what answers there is no matter.
    await expect(runCommand({ DATA_DIR: folder }, 'verify')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(`a process uses ${folder}, so the process was asked.`),
    });
    const { text, code } = await runCommand(environment, '--url', harness.url, 'verify');
    expect(code).toBe(1);
    expect(text).toContain('Checked 601 conversations with 1 turns in the running process');
    expect(text).not.toContain(CONTENT);
    await locker.close();
  });

  it('is refused to users', async () => {
    const environment = { SWITCHYARD_TOKEN: await tokenOf('ann', false) };
    await expect(runCommand(environment, '--url', harness.url, 'verify')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('Only operators may do this.'),
    });
  });

  it.each(['before=0', 'before=x', `conversation=${'x'.repeat(1_025)}`])('refuses %.20s', async (query) => {
    const headers = { authorization: `Bearer ${await tokenOf('olga', true)}` };
    const response = await fetch(`${harness.url}/api/admin/verify?${query}`, { headers });
    expect(response.status).toBe(422);
  });
});
