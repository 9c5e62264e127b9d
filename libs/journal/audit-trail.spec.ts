import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditRecord } from '#contracts';
import { createMetrics } from '#observability';
import { StoreUnavailableError, type Store } from '#store';
import { SeededRandom, VirtualClock } from '#time/testing';
import { auditedCall } from './audit.js';
import { AuditTrail } from './audit-trail.js';
import { settle } from './carry-out.js';
import { observeJournal } from './observe-journal.js';
import { callId, openPorts, outcomeRow } from './testing/test-ports.js';

const CONTENT = 'PLANTED';
const DAY_MS = 24 * 3_600_000;

let clock: VirtualClock;
let batches: AuditRecord[][];
let put: Store['putAuditRecords'];
let removed: { before: string; limit: number }[];
let left: number[];
let warnings: object[];

beforeEach(() => {
  clock = new VirtualClock(new SeededRandom(1));
  batches = [];
  put = async (rows) => void batches.push(rows);
  removed = [];
  left = [];
  warnings = [];
});

function trailOf(days = 30): AuditTrail {
  const store = {
    putAuditRecords: (rows: AuditRecord[]) => put(rows),
    removeOldAuditRecords: async (before: string, limit: number) => {
      removed.push({ before, limit });
      return left.shift() ?? 0;
    },
  };
  const log = { warn: (fields: object) => void warnings.push(fields) };
  return new AuditTrail({ store, clock, random: new SeededRandom(1), log, days });
}

function record(number: number): Omit<AuditRecord, '_id'> {
  const place = { user_id: 'ann', conversation_id: 'conv_1', turn_id: 'turn_1' };
  const end = { attempt: 1, worker: 'worker-1', status: 'success', duration_ms: 1, arguments_sha256: 'x' };
  const at = '2026-03-01T10:00:00.000Z';
  return { at, audit: 'invoked', ...place, tool_call_id: callId(number), tool: 'math.add', ...end };
}

const written = () => batches.flat().map(({ tool_call_id }) => Number(tool_call_id?.slice(5)));
const keepMany = (trail: AuditTrail, from: number, to: number) => {
  for (let number = from; number <= to; number++) trail.keep(record(number));
};
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('AuditTrail', () => {
  it('writes what comes within half a second as one batch, with ids that sort by time', async () => {
    const trail = trailOf();
    keepMany(trail, 1, 3);
    await clock.advance(499);
    expect(batches).toEqual([]);
    await clock.advance(1);
    expect(batches).toEqual([
      [1, 2, 3].map((number) => ({
        ...record(number),
        _id: expect.stringMatching(/^2026-03-01T10:00:00\.000Z-.+/),
      })),
    ]);
    expect(new Set(batches[0]!.map(({ _id }) => _id)).size).toBe(3);
  });

  it('writes batches of at most 200', async () => {
    keepMany(trailOf(), 1, 450);
    await clock.advance(500);
    expect(batches.map(({ length }) => length)).toEqual([200, 200, 50]);
  });

  it('tries again with the same ids when the store is unavailable', async () => {
    const works = put;
    const tried: AuditRecord[][] = [];
    put = async (rows) => {
      tried.push(rows);
      throw new StoreUnavailableError('down');
    };
    const trail = trailOf();
    keepMany(trail, 1, 2);
    await clock.advance(500);
    put = works;
    trail.keep(record(3));
    await clock.advance(5_000);
    expect(written()).toEqual([1, 2, 3]);
    expect(batches[0]!.slice(0, 2)).toEqual(tried[0]);
    expect(warnings).toEqual([]);
  });

  it('drops the oldest above 10,000 while the store is down, and says how many', async () => {
    const works = put;
    put = () => Promise.reject(new StoreUnavailableError('down'));
    keepMany(trailOf(), 1, 10_007);
    await clock.advance(500);
    put = works;
    await clock.advance(5_000);
    expect(written()).toEqual(numbers(8, 10_007));
    expect(warnings).toEqual([{ records: 7 }]);
  });

  it('gives up a batch that the store refuses', async () => {
    put = () => Promise.reject(new Error('refused'));
    const trail = trailOf();
    trail.keep(record(1));
    await clock.advance(500);
    expect(warnings).toEqual([{ records: 1, reason: 'refused' }]);
    put = async (rows) => void batches.push(rows);
    trail.keep(record(2));
    await clock.advance(5_000);
    expect(written()).toEqual([2]);
  });

  it('writes at its end what waits, and does not fail when the store is down', async () => {
    const trail = trailOf();
    keepMany(trail, 1, 2);
    await trail.close();
    expect(written()).toEqual([1, 2]);
    put = () => Promise.reject(new StoreUnavailableError('down'));
    const other = trailOf();
    other.keep(record(3));
    await expect(other.close()).resolves.toBeUndefined();
  });

  it('removes what is too old, in batches, every minute until its end', async () => {
    left = [1_000, 3];
    const trail = trailOf(7);
    trail.start();
    const before = new Date(clock.wall() + 60_000 - 7 * DAY_MS).toISOString();
    await clock.advance(60_000);
    expect(removed).toEqual([
      { before, limit: 1_000 },
      { before, limit: 1_000 },
    ]);
    await clock.advance(60_000);
    expect(removed).toHaveLength(3);
    await trail.close();
    await clock.advance(600_000);
    expect(removed).toHaveLength(3);
  });

  it('keeps nothing with 0 days, and removes what was kept before', async () => {
    const trail = trailOf(0);
    trail.start();
    trail.keep(record(1));
    await clock.advance(60_000);
    expect([batches, removed.length]).toEqual([[], 1]);
  });
});

describe('the audit record of a call in the store', () => {
  const label = {
    tool_name: 'math.add',
    display_name: CONTENT,
    source: 'local' as const,
    approval: 'none' as const,
    audited: auditedCall('ann', { text: CONTENT }, { version: '1.2.3' }),
  };

  it('is written after the outcome, which does not wait for it', async () => {
    const ports = await openPorts('worker-1');
    put = () => new Promise(() => undefined);
    const trail = trailOf();
    const metrics = createMetrics({ collectDefaults: false });
    ports.observer = observeJournal({ info: () => undefined }, metrics, trail);
    trail.keep(record(9));
    await clock.advance(500);
    await settle(ports, label, outcomeRow(1));
    expect(await ports.store.getOutcome(callId(1))).not.toBeNull();
    await ports.store.close();
  });

  it('holds nothing that a person, a model or a tool wrote', async () => {
    const ports = await openPorts('worker-1');
    const trail = trailOf();
    const metrics = createMetrics({ collectDefaults: false });
    ports.observer = observeJournal({ info: () => undefined }, metrics, trail);
    const failed = (error_type: string, attempt: number) => ({
      status: 'failure' as const,
      data: { text: CONTENT },
      explanation: CONTENT,
      error: { error_type, error_message: CONTENT },
      attempt,
    });
    await settle(ports, label, outcomeRow(1, { data: { text: CONTENT }, explanation: CONTENT }));
    await settle(ports, label, outcomeRow(2, failed(CONTENT, 1)));
    await settle(ports, { ...label, tool_name: CONTENT }, outcomeRow(3, failed('ToolNotFound', 0)));
    await settle(ports, label, outcomeRow(1, { worker: 'worker-2' }));
    await clock.advance(500);
    expect(batches.flat().map(({ audit, tool, error_type }) => [audit, tool, error_type])).toEqual([
      ['invoked', 'math.add', undefined],
      ['invoked', 'math.add', 'ToolExecutionError'],
      ['refused', 'unknown', 'ToolNotFound'],
      ['late', 'math.add', undefined],
    ]);
    expect(JSON.stringify(batches)).not.toContain(CONTENT);
    await ports.store.close();
  });
});
