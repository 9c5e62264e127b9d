import { beforeEach, describe, expect, it } from '@jest/globals';
import { switchIdOf, type Switch, type SwitchKind } from '#contracts';
import { Switches } from './switches.js';

const row = (kind: SwitchKind, name: string, more: Partial<Switch> = {}): Switch => ({
  _id: switchIdOf(kind, name),
  kind,
  name,
  by: 'ann',
  at: '2026-03-01T10:00:00.000Z',
  ...more,
});

describe('the switches of a process', () => {
  let answers: (() => Promise<Switch[]>)[];
  let warnings: string[];
  let createSwitches: (processId: string) => Switches;
  let switches: Switches;

  beforeEach(() => {
    answers = [];
    warnings = [];
    const listSwitches = () => answers.shift()!();
    const warn = (_fields: unknown, message: string) => void warnings.push(message);
    const logger = { warn, debug: () => undefined };
    createSwitches = (processId) =>
      new Switches({ processId, store: { listSwitches }, logger: logger as never });
    switches = createSwitches('worker-1');
  });

  async function read(...rows: Switch[]): Promise<void> {
    await readBy(switches, ...rows);
  }

  async function readBy(reader: Switches, ...rows: Switch[]): Promise<void> {
    answers.push(async () => rows);
    await reader.read();
  }

  it('pause a tool by its name or its toolset, and nothing else', async () => {
    const [web, add] = [row('toolset', 'web'), row('tool', 'math.add')];
    await read(web, add);
    const paused = ['web.search', 'web.fetch', 'math.add', 'math.sub', 'webs.a'].map((name) =>
      switches.pauseOf(name),
    );
    expect(paused).toEqual([web, web, add, undefined, undefined]);
  });

  it('say whether the process drains, the refusal of turns and the log level of each process', async () => {
    const turns = row('turns', 'all');
    const levels = [row('logs', 'all', { level: 'debug' }), row('logs', 'worker-1', { level: 'warn' })];
    const other = createSwitches('worker-2');
    for (const reader of [switches, other])
      await readBy(reader, row('process', 'worker-1'), turns, ...levels);
    expect([switches.drains, other.drains]).toEqual([true, false]);
    expect(switches.refusesTurns).toBe(turns);
    expect([switches.logLevel, other.logLevel]).toEqual(['warn', 'debug']);
    await read();
    expect([switches.drains, switches.refusesTurns, switches.logLevel]).toEqual([
      false,
      undefined,
      undefined,
    ]);
  });

  it('stay as they were while the store does not answer, which is logged once', async () => {
    await read(row('toolset', 'web'));
    for (let i = 0; i < 3; i++) {
      answers.push(() => Promise.reject(new Error('away')));
      await switches.read();
    }
    expect(switches.pauseOf('web.search')).toBeDefined();
    expect(warnings).toEqual(['reading the switches failed']);
  });

  it('are read again after a read that may have begun too early, once for all who ask meanwhile', async () => {
    let answer = (_rows: Switch[]) => undefined as void;
    answers.push(
      () => new Promise((resolve) => (answer = resolve)),
      async () => [row('toolset', 'web')],
    );
    const early = switches.read();
    const later = [switches.read(), switches.read()];
    answer([]);
    await early;
    await Promise.all(later);
    expect(switches.pauseOf('web.search')).toBeDefined();
    expect(answers).toEqual([]);
  });

  it('tell of changes, and of nothing while nothing of theirs is switched', async () => {
    const told: unknown[] = [];
    switches.onDrain((drains) => told.push(drains));
    switches.onLogLevel((level) => told.push(level));
    await read();
    await read(row('process', 'worker-1'), row('toolset', 'web'));
    await read(row('process', 'worker-1'), row('logs', 'all', { level: 'debug' }));
    await read(row('process', 'worker-2'));
    await read();
    expect(told).toEqual([true, 'debug', false, undefined]);
  });
});
