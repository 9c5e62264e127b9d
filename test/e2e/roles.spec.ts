import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import { DIALECT_NAMES } from '../../apps/gateway/dialects/dialects.js';
import { signToken } from '../../apps/gateway/people/auth/json-web-token.adapter.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { bearer, DOORS, get, LISTS, type Caller, type Wanted } from './role-doors.js';
import {
  newFolder,
  removeFolders,
  requestJson,
  startStandalone,
  writeSettings,
} from './standalone-process.js';

const AUTH = { kind: 'jwt' as const, secret: 'a-secret-that-is-long-enough-for-hs256' };
const PATIENCE_MS = 60_000;
const PRODUCT: Wanted = { toolset: 'math', tool: 'multiply', args: { a: 6, b: 7 } };
const SUM: Wanted = { toolset: 'math', tool: 'add', args: { a: 1, b: 2 } };
const NOW: Wanted = { toolset: 'time', tool: 'now', args: {} };

interface Approval {
  turn_id: string;
  tool_call_id: string;
  tool_name: string;
  arguments: string;
  user_id: string;
}

describe('rules of tools that ask for roles', () => {
  let standalone: SwitchyardProcess;
  let ann: Caller;
  let fin: Caller;
  let chief: Caller;
  let boss: Caller;

  beforeAll(async () => {
    const tools = {
      'math.multiply': { roles: ['finance', 'audit'] },
      'math.add': { approve: 'always', approve_for: { finance: 'never' } },
      time: { approvers: ['chief'] },
    };
    standalone = await startStandalone({
      AUTH: 'jwt',
      JWT_SECRET: AUTH.secret,
      CONFIG: await writeSettings('switchyard.json', { tools }),
      DATA_DIR: await newFolder(),
    });
    const as = async (id: string, roles: string[], isOperator = false): Promise<Caller> => ({
      url: standalone.url,
      token: await signToken(new SystemClock(), { id, roles, isOperator }, 1, AUTH),
    });
    ann = await as('ann', ['chess club']);
    fin = await as('fin', ['finance']);
    chief = await as('cleo', ['chief']);
    boss = await as('boss', [], true);
    await waitFor(async () => (await LISTS['/api/tools']!(fin)).includes('math.multiply'), {
      what: 'the tools',
      timeoutMs: 30_000,
    });
  }, 90_000);
  afterAll(async () => {
    await standalone?.kill('SIGTERM');
    await removeFolders();
  });

  const waiting = async (caller: Caller) =>
    (await get<{ approvals: Approval[] }>(caller, '/api/approvals')).approvals;

  const answer = async (caller: Caller, { turn_id, tool_call_id }: Approval, decision: string) => {
    const path = `/api/turns/${turn_id}/calls/${tool_call_id}/approval`;
    const json = { decision };
    const init = { method: 'POST', headers: bearer(caller), json };
    return (await requestJson(`${caller.url}${path}`, init)).status;
  };

  it('are tried at every door', () => {
    expect(Object.keys(DOORS)).toEqual(expect.arrayContaining([...DIALECT_NAMES, 'socket.io', '/mcp']));
  });

  it.each(Object.keys(LISTS))('offer a tool in %s only to users with one of its roles', async (name) => {
    const [annSees, finSees] = [await LISTS[name]!(ann), await LISTS[name]!(fin)];
    expect(finSees).toContain('math.multiply');
    expect(annSees).toEqual(finSees.filter((tool) => tool !== 'math.multiply'));
  });

  describe.each(Object.keys(DOORS))('through %s', (door) => {
    const ask = (caller: Caller, wanted: Wanted) => DOORS[door]!(caller, wanted);

    it('run a tool for a user with its role, and for nobody else', async () => {
      expect(await ask(fin, PRODUCT)).toBe('succeeded');
      // The demo model calls only what it is offered.
      for (const other of [ann, boss])
        expect(['no call', 'PermissionError']).toContain(await ask(other, PRODUCT));
    });

    it('ask no user whose role needs no approval', async () => {
      expect(await ask(fin, SUM)).toBe('succeeded');
    });

    it.each([
      ['approve', 'succeeded'],
      ['deny', 'PermissionError'],
    ])(
      'let somebody else %s a call, once, and nobody without the role',
      async (decision, end) => {
        const asked = ask(ann, NOW);
        asked.catch(() => undefined);
        const approval = await waitFor(async () => (await waiting(chief))[0], {
          what: 'the call in the list of the chief',
          timeoutMs: PATIENCE_MS,
        });
        expect(approval).toMatchObject({ tool_name: 'time.now', arguments: '{}', user_id: 'ann' });
        for (const other of [ann, fin, boss]) expect(await waiting(other)).toEqual([]);
        expect(await answer(ann, approval, 'approve')).toBe(403);
        for (const other of [fin, boss]) expect(await answer(other, approval, 'approve')).toBe(404);
        expect(await answer(chief, approval, decision)).toBe(200);
        expect(await answer(chief, approval, 'deny')).toBe(409);
        expect(await asked).toBe(end);
        await waitFor(async () => (await waiting(chief)).length === 0, { what: 'an empty list' });
      },
      PATIENCE_MS,
    );
  });

  it('show the approver nothing else of the conversation, and both are audited', async () => {
    const asked = DOORS['socket.io']!(ann, NOW);
    const [approval] = await waitFor(
      async () => {
        const found = await waiting(chief);
        return found.length > 0 ? found : undefined;
      },
      { what: 'the call', timeoutMs: PATIENCE_MS },
    );
    const init = { headers: bearer(chief) };
    const turn = `${standalone.url}/api/turns/${approval!.turn_id}`;
    for (const path of ['/waiting', '/replay', `/calls/${approval!.tool_call_id}`])
      expect((await fetch(`${turn}${path}`, init)).status).toBe(404);
    expect(await answer(chief, approval!, 'approve')).toBe(200);
    await asked;
    const audited = async (action: string) => {
      const { records } = await get<{ records: { audit: string; tool_call_id?: string }[] }>(
        boss,
        '/api/admin/audit?user=cleo&limit=100',
      );
      return records.filter((one) => one.audit === action && one.tool_call_id === approval!.tool_call_id);
    };
    for (const action of ['approval_shown', 'approval_given'])
      await waitFor(async () => (await audited(action)).length === 1, { what: action });
  });
});
