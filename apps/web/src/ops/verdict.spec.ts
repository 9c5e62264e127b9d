import { describe, expect, it } from '@jest/globals';
import type { ListedProcess, ListedToolset } from '#contracts';
import { isBehind, verdictOf } from './verdict.js';

const process = (role: ListedProcess['role'], change: Partial<ListedProcess> = {}): ListedProcess => ({
  id: `${role}-1`,
  role,
  host: 'here',
  beat: 1,
  is_alive: true,
  load: {},
  ...change,
});
const toolset = (change: Partial<ListedToolset> = {}): ListedToolset => ({
  name: 'web',
  workers: 2,
  calls: 0,
  running: 0,
  slots: 8,
  per_second: 1,
  draining: 0,
  is_paused: false,
  ...change,
});
const healthy = {
  processes: [process('gateway'), process('orchestrator'), process('worker')],
  toolsets: [toolset()],
  queues: { turns: 0, results: 0, dead_letters: 0 },
};
const needs = (change: Partial<typeof healthy>, letters: { replayed_at?: string }[] = []) =>
  verdictOf({ ...healthy, ...change }, letters).needs.map(({ subject, text }) => `${subject} ${text}`);

describe('the verdict on a fleet', () => {
  it('is that everything is healthy when nothing is wrong', () => {
    expect(verdictOf(healthy, [])).toEqual({ title: 'Everything is healthy', needs: [] });
  });

  it('does not call a fleet healthy in which something is switched', () => {
    const refused = { kind: 'turns', name: 'all' };
    expect(verdictOf(healthy, [], [refused])).toEqual({
      title: 'Healthy, apart from what operators have switched',
      needs: [],
    });
  });

  it('counts what needs an operator, in words as long as there are some', () => {
    const none = (count: number) =>
      Array.from({ length: count }, (_, i) => toolset({ name: `t${i}`, workers: 0 }));
    const titleOf = (count: number) => verdictOf({ ...healthy, toolsets: none(count) }, []).title;
    expect([1, 2, 9, 12].map(titleOf)).toEqual([
      'One thing needs you',
      'Two things need you',
      'Nine things need you',
      '12 things need you',
    ]);
  });

  it('names a toolset without workers, whatever else is wrong with it', () => {
    expect(needs({ toolsets: [toolset({ workers: 0, calls: 99, drift: ['web.a'] })] })).toEqual([
      'web has no worker',
    ]);
  });

  it('names a toolset that falls behind and one whose workers differ', () => {
    const behind = toolset({ calls: 100, estimate_ms: 100_000, drift: ['web.a'] });
    expect(needs({ toolsets: [behind] })).toEqual(['web falls behind and differs between its workers']);
    expect(needs({ toolsets: [toolset({ drift: ['web.a'] })] })).toEqual(['web differs between its workers']);
  });

  it('counts processes that stopped beating, and notices that no orchestrator is left', () => {
    const lost = [process('orchestrator', { is_alive: false }), process('worker', { is_alive: false })];
    expect(needs({ processes: lost })).toEqual([
      'orchestrators are missing, so turns wait',
      '2 processes stopped beating',
    ]);
    expect(needs({ processes: [...healthy.processes, lost[1]!] })).toEqual(['1 process stopped beating']);
  });

  it('says that the broker is silent instead of guessing', () => {
    const silent = { queues: {} as typeof healthy.queues };
    expect(needs(silent)).toEqual(['the broker does not say how many messages wait']);
  });

  it('counts dead letters until they are replayed', () => {
    expect(needs({}, [{}, { replayed_at: '2026-01-01T00:00:00.000Z' }])).toEqual([
      '1 message could not be delivered',
    ]);
    expect(needs({}, [{ replayed_at: '2026-01-01T00:00:00.000Z' }])).toEqual([]);
  });
});

describe('a toolset falls behind', () => {
  it('when more calls wait than run at once, and they take long or do not move', () => {
    expect(isBehind(toolset({ calls: 9, estimate_ms: 20_001 }))).toBe(true);
    expect(isBehind(toolset({ calls: 9, per_second: 0 }))).toBe(true);
  });

  it('not while its queue is short or fast, or of unknown length', () => {
    expect(isBehind(toolset({ calls: 8, estimate_ms: 60_000 }))).toBe(false);
    expect(isBehind(toolset({ calls: 9, estimate_ms: 20_000 }))).toBe(false);
    const { calls: _unknown, ...silent } = toolset({ workers: 1, running: 8, per_second: 0 });
    expect(isBehind(silent)).toBe(false);
  });
});
