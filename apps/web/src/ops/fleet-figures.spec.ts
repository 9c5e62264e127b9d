import { describe, expect, it } from '@jest/globals';
import type { ListedProcess, ListedToolset, ListedTurn, Waiting } from '#contracts';
import { accountRows } from './account-rows.js';
import { Beats } from './beats.js';
import { oldestWaits } from './oldest-waits.js';
import { fullness, groupByRole, loadText } from './process-groups.js';
import { QueueHistory } from './queue-history.js';
import { shortId } from './short-id.js';
import { isStuck } from './wait-words.js';

const at = (ms: number) => new Date(ms).toISOString();
const process = (id: string, change: Partial<ListedProcess> = {}): ListedProcess => ({
  id,
  role: id.split('-')[0] as ListedProcess['role'],
  host: 'here',
  beat: 1,
  version: '1.0.0',
  is_alive: true,
  load: {},
  ...change,
});

describe('processes by role', () => {
  const load = {
    toolsets: { a: { running: 3, slots: 4, per_second: 1 }, b: { running: 0, slots: 8, per_second: 0 } },
  };

  it('add up what the living carry, and count the draining and the lost', () => {
    const processes = [
      process('worker-1', { load }),
      process('worker-2', { load: { ...load, draining: true }, version: '1.1.0' }),
      process('worker-3', { load, is_alive: false }),
      process('gateway-1', { load: { sockets: 1, viewers: 2 } }),
    ];
    expect(
      groupByRole(processes).map(({ name, carries, versions, lost }) => [name, carries, versions, lost]),
    ).toEqual([
      ['Gateways', '1 socket, 2 viewers', '1.0.0', 0],
      ['Orchestrators', 'none is running', '', 0],
      ['Tool workers', '6 of 24 slots, 1 draining, 1 lost', '1.0.0, 1.1.0', 1],
    ]);
  });

  it('say what one does, and how full it is if that is known', () => {
    expect(loadText(process('orchestrator-1', { load: { turns: 2 } }))).toBe('2 turns');
    const waiting = { turns: 1_200, model_waits: 3 };
    expect(loadText(process('orchestrator-1', { load: waiting }))).toBe('1,200 turns, 3 wait for a model');
    expect(fullness({ load })).toBe(0.25);
    expect(fullness({ load: { turns: 2 } })).toBeUndefined();
  });
});

describe('the history of queues', () => {
  const toolset = (calls: number | undefined): ListedToolset[] => [
    {
      name: 'web',
      workers: 1,
      running: 0,
      slots: 1,
      per_second: 0,
      draining: 0,
      is_paused: false,
      ...(calls === undefined ? {} : { calls }),
    },
  ];

  it('is a line from the first look to the last, with a floor for short queues', () => {
    const history = new QueueHistory();
    history.add({ at: at(0), toolsets: toolset(0) });
    expect(history.pathOf('web', 84, 20)).toBeUndefined();
    history.add({ at: at(2_000), toolsets: toolset(12) });
    history.add({ at: at(4_000), toolsets: toolset(undefined) });
    history.add({ at: at(8_000), toolsets: toolset(24) });
    expect(history.pathOf('web', 84, 20)).toBe('M0.0 19.0 21.0 10.0 84.0 1.0');
    expect(history.spanMs).toBe(8_000);
    expect(history.pathOf('mail', 84, 20)).toBeUndefined();
  });

  it('forgets what is older than 30 min, and one answer that comes twice', () => {
    const history = new QueueHistory();
    for (const ms of [0, 60_000, 60_000, 30 * 60_000]) history.add({ at: at(ms), toolsets: toolset(1) });
    expect(history.spanMs).toBe(29 * 60_000);
  });
});

describe('beats', () => {
  it('stand still for as long as the page has seen the same one', () => {
    const beats = new Beats();
    beats.add({ at: at(0), processes: [process('worker-1')] });
    beats.add({ at: at(4_000), processes: [process('worker-1')] });
    expect(beats.stillForMs('worker-1', 4_000)).toBe(4_000);
    beats.add({ at: at(6_000), processes: [process('worker-1', { beat: 2 })] });
    expect(beats.stillForMs('worker-1', 6_000)).toBe(0);
    expect(beats.stillForMs('worker-unknown', 6_000)).toBe(0);
  });
});

describe('waits', () => {
  const turn = (waiting: Partial<Waiting>): ListedTurn => ({
    turn_id: 't',
    conversation_id: 'c',
    number: 1,
    user_id: 'u',
    at: at(0),
    status: 'running',
    waiting: { reason: 'queued', text: '', since: at(0), ...waiting },
  });

  it('are oldest by toolset, of calls that wait for a worker', () => {
    const oldest = oldestWaits([
      turn({ tool_name: 'web.search', since: at(2_000) }),
      turn({ tool_name: 'web.read', since: at(1_000) }),
      turn({ tool_name: 'web.read', since: at(0), reason: 'running' }),
      turn({ reason: 'model' }),
    ]);
    expect([...oldest]).toEqual([['web', 1_000]]);
  });

  it('are stuck without a process, or when they wait in line for too long; work and people may take long', () => {
    expect(isStuck({ reason: 'no_worker', since: at(0) }, 0)).toBe(true);
    expect(isStuck({ reason: 'queued', since: at(0) }, 20_000)).toBe(false);
    expect(isStuck({ reason: 'queued', since: at(0) }, 20_001)).toBe(true);
    for (const reason of ['running', 'model', 'question', 'approval'] as const)
      expect(isStuck({ reason, since: at(0) }, 3_600_000)).toBe(false);
  });
});

describe('accounts with their usage', () => {
  const usage = (user_id: string, tokens: number) => ({
    user_id,
    input_tokens: tokens,
    cached_tokens: 0,
    output_tokens: 1,
    cost: 0,
  });
  const account = (id: string) => ({ id, number: 1, username: id, role: 'user' as const, is_active: true });

  it('have everybody once, those first who have used most', () => {
    const rows = accountRows([account('a'), account('b')], [usage('b', 5), usage('gone', 9)]);
    expect(
      rows.map(({ id, account: listed, usage: used }) => [id, listed?.username, used?.input_tokens]),
    ).toEqual([
      ['gone', undefined, 9],
      ['b', 'b', 5],
      ['a', 'a', undefined],
    ]);
    expect(accountRows(undefined, [])).toEqual([]);
  });
});

it('ids of processes are shortened, others are not', () => {
  expect(shortId('worker-7c1de2a4-51f0-4000-8000-000000000001')).toBe('worker-7c1de2a4');
  expect(shortId('mira')).toBe('mira');
});
