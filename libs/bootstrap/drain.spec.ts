import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '#observability';
import { SeededRandom, VirtualClock } from '#time/testing';
import { Drain, type DrainOptions } from './drain.js';

describe('Drain', () => {
  let acts: string[];
  let source: EventEmitter;
  let clock: VirtualClock;
  let ended: Promise<number>;

  function create(overrides: Partial<DrainOptions> = {}): Drain {
    const act = (name: string) => async (): Promise<void> => void acts.push(name);
    let end: (code: number) => void = () => undefined;
    ended = new Promise((resolve) => (end = resolve));
    const drain = new Drain({
      logger: createLogger({ role: 'worker', level: 'silent', pretty: false }),
      health: { markDraining: () => void acts.push('not ready') },
      leave: act('row removed'),
      bus: { close: act('bus closed') },
      store: { close: act('store closed') },
      graceMs: 1_000,
      clock,
      exit: (code) => {
        acts.push(`exit ${code}`);
        end(code);
      },
      source: source as unknown as NodeJS.Process,
      ...overrides,
    });
    drain.listen();
    return drain;
  }

  beforeEach(() => {
    acts = [];
    source = new EventEmitter();
    clock = new VirtualClock(new SeededRandom(1));
  });

  it.each(['SIGTERM', 'SIGINT'])(
    'runs its steps in order on %s, the heartbeat row before the connections',
    async (signal) => {
      const drain = create({ graceMs: 60_000 });
      drain.addStep('consumers', async (graceMs) => {
        expect(graceMs).toBeGreaterThan(50_000);
        acts.push('consumers stopped');
      });
      drain.addStep('sockets', async () => void acts.push('sockets closed'));
      source.emit(signal);
      expect(await ended).toBe(0);
      expect(acts).toEqual([
        'not ready',
        'consumers stopped',
        'sockets closed',
        'row removed',
        'bus closed',
        'store closed',
        'exit 0',
      ]);
    },
  );

  it('abandons a step when the grace time is over and still starts the later ones', async () => {
    const drain = create({ graceMs: 20 });
    drain.addStep('endless', () => new Promise(() => undefined));
    drain.addStep('next', async (graceMs) => void acts.push(`next ${graceMs}`));
    source.emit('SIGTERM');
    await clock.advance(20);
    expect(await ended).toBe(0);
    expect(acts).toEqual(['not ready', 'next 0', 'row removed', 'bus closed', 'store closed', 'exit 0']);
  });

  it('continues when a step or the store fails', async () => {
    const drain = create({ leave: () => Promise.reject(new Error('store is down')) });
    drain.addStep('broken', () => {
      throw new Error('broken');
    });
    source.emit('SIGTERM');
    expect(await ended).toBe(0);
    expect(acts).toEqual(['not ready', 'bus closed', 'store closed', 'exit 0']);
  });

  it('exits at once on a second signal', async () => {
    const drain = create({ graceMs: 60_000 });
    drain.addStep('endless', () => new Promise(() => undefined));
    source.emit('SIGTERM');
    await clock.advance(1_000);
    source.emit('SIGINT');
    expect(await ended).toBe(130);
    expect(acts).toEqual(['not ready', 'exit 130']);
  });

  it('counts one Ctrl C as one signal, although npm repeats it', async () => {
    const drain = create();
    drain.addStep('half a second', () => clock.sleep(500));
    source.emit('SIGINT');
    await clock.advance(499);
    source.emit('SIGINT');
    await clock.advance(1);
    expect(await ended).toBe(0);
  });

  it.each(['uncaughtException', 'unhandledRejection'])('exits 1 on %s', async (event) => {
    create();
    source.emit(event, new Error('bug'));
    expect(await ended).toBe(1);
    expect(acts).toEqual(['exit 1']);
  });
});
