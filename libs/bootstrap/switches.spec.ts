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
  let switches: Switches;

  beforeEach(() => {
    answers = [];
    warnings = [];
    const listSwitches = () => answers.shift()!();
    const warn = (_fields: unknown, message: string) => void warnings.push(message);
    const logger = { warn, debug: () => undefined };
    switches = new Switches({ store: { listSwitches }, logger: logger as never });
  });

  async function read(...rows: Switch[]): Promise<void> {
    answers.push(async () => rows);
    await switches.read();
  }

  it('pause a tool by its name or its toolset, and nothing else', async () => {
    const [web, add] = [row('toolset', 'web'), row('tool', 'math.add')];
    await read(web, add);
    const paused = ['web.search', 'web.fetch', 'math.add', 'math.sub', 'webs.a'].map((name) =>
      switches.pauseOf(name),
    );
    expect(paused).toEqual([web, web, add, undefined, undefined]);
  });

  it('name the processes that drain, the refusal of turns and the log level of each process', async () => {
    const [drained, turns] = [row('process', 'worker-1'), row('turns', 'all')];
    await read(
      drained,
      turns,
      row('logs', 'all', { level: 'debug' }),
      row('logs', 'worker-1', { level: 'warn' }),
    );
    expect([switches.drainOf('worker-1'), switches.drainOf('worker-2')]).toEqual([drained, undefined]);
    expect(switches.refusesTurns).toBe(turns);
    expect(['worker-1', 'worker-2'].map((id) => switches.logLevelOf(id))).toEqual(['warn', 'debug']);
    await read();
    expect([switches.refusesTurns, switches.logLevelOf('worker-1')]).toEqual([undefined, undefined]);
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

  it('tell of changes, and of nothing while nothing is switched', async () => {
    let told = 0;
    switches.onChange(() => told++);
    await read();
    await read(row('toolset', 'web'));
    await read();
    await read();
    expect(told).toBe(2);
  });
});
