import { describe, expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { testPeers } from '#journal/testing';
import { LOCAL_USER } from '../people/auth/user.js';
import { OfferedTools } from './offered-tools.js';

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);

function setUp(seed: number) {
  const random = new SeededRandom(seed);
  const world = new VirtualClock(random);
  const clock = world.view();
  const bus = { send: async () => 'confirmed' as const, connectedForMs: () => clock.now() };
  const tools = new OfferedTools(bus, 'gateway-1', { choice: {} }, { clock, random, peers: testPeers() });
  const announce = () =>
    tools.announce({
      worker: 'worker-1',
      toolsets: [],
      servers: [{ name: 'math', toolset: 'math' }],
    });
  return { world, clock, tools, announce };
}

describe('tools that a gateway offers after a roll-call', () => {
  it.each(SEEDS)('include answers that arrived while the process was stalled (seed %d)', async (seed) => {
    const { world, clock, tools, announce } = setUp(seed);
    const names: string[] = [];
    await tools.callRoll();
    void tools
      .rollCalled()
      .then(() => tools.listServers(LOCAL_USER))
      .then((servers) => names.push(...servers.map(({ name }) => name)));
    await world.advance(500);
    clock.freeze();
    // It reads its connection when it goes on, before or after the timers that are due.
    clock.soon(announce);
    await world.advance(2_000);
    clock.thaw();
    await world.advance(1_000);
    expect(names).toEqual(['math']);
    tools.close();
  });

  it('are awaited for no longer than about a second', async () => {
    const { world, tools } = setUp(1);
    let isOver = false;
    await tools.callRoll();
    void tools.rollCalled().then(() => (isOver = true));
    await world.advance(949);
    expect(isOver).toBe(false);
    await world.advance(100);
    expect(isOver).toBe(true);
    tools.close();
  });
});
