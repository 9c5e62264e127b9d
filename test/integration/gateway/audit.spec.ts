import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditPage, AuditRecord } from '#contracts';
import { AuditTrail } from '#journal';
import { callId } from '#journal/testing';
import { SystemClock, systemTime } from '#time';
import { signToken } from '../../../apps/gateway/people/auth/json-web-token.adapter.js';
import { JWT_SECRET, startHarness, type Harness } from './gateway-harness.js';
import { runSwitchyard } from './switchyard-command.js';

const AUTH = { kind: 'jwt' as const, secret: JWT_SECRET };

let harness: Harness;
let operator = '';
const records: AuditRecord[] = [
  ['ann', 'conv_1', 'math.add'],
  ['ann', 'conv_2', 'web.search'],
  ['bob', 'conv_3', 'math.add'],
].map(([user_id, conversation_id, tool], i) => ({
  _id: `2026-03-0${i + 1}T10:00:00.000Z-${i}`,
  at: `2026-03-0${i + 1}T10:00:00.000Z`,
  audit: 'invoked',
  user_id: user_id!,
  conversation_id: conversation_id!,
  turn_id: `turn_${i}`,
  tool_call_id: callId(i),
  tool: tool!,
  attempt: 1,
  worker: 'worker-1',
  status: 'success',
  duration_ms: 12,
  arguments_sha256: 'hash',
}));

beforeAll(async () => {
  harness = await startHarness({ config: { auth: AUTH } });
  await harness.store.putAuditRecords(records);
  operator = await tokenOf('olga', true);
});
afterAll(() => harness.stop());

function tokenOf(id: string, isOperator: boolean) {
  return signToken(new SystemClock(), { id, isOperator }, 1, AUTH);
}

async function ask(query: string, token = operator) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${harness.url}/api/admin/audit?${query}`, { headers });
  return { status: response.status, page: (await response.json()) as AuditPage };
}

describe('GET /api/admin/audit', () => {
  it.each([
    ['', [2, 1, 0]],
    ['user=ann', [1, 0]],
    ['conversation=conv_2', [1]],
    ['tool=math.add', [2, 0]],
    ['tool=math.add&user=ann', [0]],
    ['before=2026-03-03', [1, 0]],
    ['before=2026-03-02T11:30%2B02:00', [0]],
    ['before=2026-03-02%2010:00:01', [1, 0]],
    ['user=nobody', []],
  ])('answers ?%s', async (query, expected) => {
    const { page } = await ask(query);
    expect(page).toEqual({ records: expected.map((i) => records[i]) });
  });

  it('names where the next page begins', async () => {
    const first = await ask('limit=2');
    expect(first.page).toEqual({ records: [records[2], records[1]], before: records[1]!._id });
    const second = await ask(`limit=2&before=${encodeURIComponent(first.page.before!)}`);
    expect(second.page).toEqual({ records: [records[0]] });
  });

  it.each(['limit=0', 'limit=501', 'user=', 'user=a&user=b', 'before=yesterday', `tool=${'x'.repeat(257)}`])(
    'refuses ?%.30s',
    async (query) => {
      expect((await ask(query)).status).toBe(422);
    },
  );

  it('takes no operator of a database for a condition', async () => {
    expect((await ask('user[$gt]=')).page.records).toHaveLength(3);
  });

  it('is refused to users', async () => {
    expect((await ask('user=ann', await tokenOf('ann', false))).status).toBe(403);
  });
});

describe('what operators do', () => {
  it('is in the store with who did it and to what, and only the log has the reason', async () => {
    const trail = new AuditTrail({
      ...systemTime(),
      store: harness.store,
      log: { warn: () => undefined },
      days: 30,
    });
    const other = await startHarness({ config: { auth: AUTH }, alter: () => ({ auditTrail: trail }) });
    await other.store.putDeadLetter({
      ...{ _id: 'letter-1', queue: 'turns', reason: 'rejected', message_id: 'm', content: '{', size: 1 },
      at: new Date().toISOString(),
    });
    await runSwitchyard(other.url, operator, 'pause', 'web', '--reason', 'PLANTED');
    await runSwitchyard(other.url, operator, 'resume', 'web');
    await runSwitchyard(other.url, operator, 'dead-letters', 'discard', 'letter-1');
    await trail.close();
    const { page } = await ask('user=olga');
    expect(page.records.map(({ audit, subject }) => [audit, subject]).sort()).toEqual([
      ['dead_letter_discarded', 'letter-1'],
      ['switch_set', 'toolset:web'],
      ['switch_unset', 'toolset:web'],
    ]);
    expect(JSON.stringify(page)).not.toContain('PLANTED');
    expect(other.log.filter((line) => line.includes('PLANTED'))).toEqual([
      expect.stringMatching(/"audit":"switch_set".*"user_id":"olga"/),
    ]);
    const text = await runSwitchyard(harness.url, operator, 'audit', '--user', 'olga');
    expect(text).toMatch(/ switch_set +olga +toolset:web +- +- +- +- +- +- +-$/m);
    await other.stop();
  });
});

describe('switchyard audit', () => {
  it('prints a line for each record, and how to go on', async () => {
    const words = ['audit', '--tool', 'math.add', '--limit', '1'];
    const text = await runSwitchyard(harness.url, operator, ...words);
    expect(text).toMatch(
      /^2026-03-03T10:00:00\.000Z +invoked +bob +math\.add +success +- +1 +12 +worker-1 +turn_2/m,
    );
    expect(text).toMatch(/--before 2026-03-03T10:00:00\.000Z-2\n$/);
  });

  it('prints JSON when asked to, and says that there are none', async () => {
    const json = await runSwitchyard(harness.url, operator, 'audit', '--user', 'ann', '--json');
    expect(JSON.parse(json)).toEqual({ records: [records[1], records[0]] });
    const none = await runSwitchyard(harness.url, operator, 'audit', '--user', 'a&tool=x');
    expect(none).toBe('There are no records.\n');
  });
});
