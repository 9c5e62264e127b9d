import { describe, expect, it } from '@jest/globals';
import { BusUnavailableError, type Bus } from '#messaging';
import { NoWorkerWatch } from './no-worker.js';

type State = Awaited<ReturnType<Bus['inspect']>> | 'away';

const SERVED = { consumers: 1, messages: 0 };
const UNSERVED = { consumers: 0, messages: 1 };

function watchOver(first: State) {
  const world = { nowMs: 0, state: first, takes: true };
  const inspect = (): Promise<Exclude<State, 'away'>> =>
    world.state === 'away' ? Promise.reject(new BusUnavailableError('away')) : Promise.resolve(world.state);
  const watch = new NoWorkerWatch({ inspect, takesMessages: () => world.takes }, { now: () => world.nowMs });
  const lookAt = (nowMs: number, state: State = world.state) => {
    Object.assign(world, { nowMs, state });
    return watch.check('call', 'tools.math');
  };
  return { watch, lookAt, world };
}

describe('NoWorkerWatch', () => {
  it('sends a call that was not sent yet', async () => {
    const { lookAt } = watchOver(SERVED);
    expect(await lookAt(0)).toBe('publish');
  });

  it.each([['missing' as const], [UNSERVED]])('gives up after seeing %p for 10 s', async (state) => {
    const { watch, lookAt } = watchOver(state);
    watch.sent('call', 'confirmed');
    expect(await lookAt(1_900)).toBe('wait');
    expect(await lookAt(2_000)).toBe('wait');
    expect(await lookAt(11_900)).toBe('wait');
    expect(await lookAt(12_000)).toBe('no_worker');
  });

  it('sends again as soon as a worker appears, and restarts its count', async () => {
    const { watch, lookAt } = watchOver(UNSERVED);
    watch.sent('call', 'returned');
    expect(await lookAt(0)).toBe('wait');
    expect(await lookAt(4_000, SERVED)).toBe('publish');
    expect(await lookAt(6_000, UNSERVED)).toBe('wait');
    expect(await lookAt(15_900)).toBe('wait');
    expect(await lookAt(16_000)).toBe('no_worker');
  });

  it('sends no second copy behind one that waits in a served queue', async () => {
    const { watch, lookAt } = watchOver({ consumers: 1, messages: 3 });
    watch.sent('call', 'confirmed');
    expect(await lookAt(2_000)).toBe('wait');
  });

  it('does not treat a broker outage as a sign of missing workers', async () => {
    const { watch, lookAt } = watchOver(UNSERVED);
    watch.sent('call', 'unknown');
    expect(await lookAt(0)).toBe('wait');
    expect(await lookAt(9_000, 'away')).toBe('wait');
    expect(await lookAt(20_000, UNSERVED)).toBe('wait');
    expect(await lookAt(29_900)).toBe('wait');
    expect(await lookAt(30_000)).toBe('no_worker');
  });

  it('reports a full queue when every try for 5 s was refused', async () => {
    const { watch, lookAt } = watchOver({ consumers: 1, messages: 100 });
    watch.sent('call', 'refused');
    expect(await lookAt(2_000)).toBe('publish');
    watch.sent('call', 'refused');
    expect(await lookAt(4_000)).toBe('publish');
    watch.sent('call', 'refused');
    expect(await lookAt(5_000)).toBe('full');
  });

  it('restarts its count after a try that was accepted, or refused by an alarm of the broker', async () => {
    const { watch, lookAt, world } = watchOver({ consumers: 1, messages: 100 });
    for (const takes of [true, false]) {
      world.takes = true;
      watch.sent('call', 'refused');
      world.takes = takes;
      watch.sent('call', takes ? 'unknown' : 'refused');
      expect(await lookAt(world.nowMs + 6_000)).toBe('publish');
    }
  });
});
