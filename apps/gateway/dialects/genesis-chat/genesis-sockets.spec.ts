import { afterEach, describe, expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { GenesisSockets, type GenesisSocketsDeps } from './genesis-sockets.js';
import type { TakeOver } from './open-turns.js';
import { ANN, anOpenTurn, settle } from './testing/fake-socket.js';
import type { Wire } from './wire.js';

const wire: Wire = {
  send: () => Promise.resolve(),
  onceArrived: () => undefined,
  probe: () => undefined,
  close: () => undefined,
  cutOff: () => undefined,
};

const made: { sockets: GenesisSockets; world: VirtualClock }[] = [];
afterEach(async () => {
  for (const { sockets, world } of made.splice(0))
    await Promise.all([sockets.leaveAll(0), world.advance(1_000)]);
});

/** The sockets of one process, of which the first one holds a turn for as long as it is open. */
function someSockets() {
  const random = new SeededRandom(1);
  const world = new VirtualClock(random);
  const clock = world.view();
  const looks: string[] = [];
  const followed: string[] = [];
  const takeOver = async (
    { socket }: { socket: string },
    isOpenHere: (socket: string) => boolean,
  ): Promise<TakeOver> => {
    looks.push(socket);
    const holder = looks[0]!;
    const nothing = { taken: [], isMoreHere: false, moreAt: new Set<string>() };
    if (socket === holder || followed.length > 0) return nothing;
    return isOpenHere(holder) ? { ...nothing, isMoreHere: true } : { ...nothing, taken: [anOpenTurn()] };
  };
  const follow = (_user: unknown, turnId: string) => {
    followed.push(turnId);
    return new Promise<never>(() => undefined);
  };
  const deps = {
    clock,
    random,
    maxWaiting: 8,
    turns: { follow },
    openTurns: { takeOver, drop: async () => undefined, forgetOld: async () => undefined },
    count: () => undefined,
    isActive: async () => true,
    log: { warn: (fields: { err: Error }) => void followed.push(String(fields.err)) },
  };
  const sockets = new GenesisSockets(deps as unknown as GenesisSocketsDeps);
  made.push({ sockets, world });
  return { world, clock, looks, followed, begin: () => sockets.begin(ANN, wire) };
}

describe('a socket that opens while the previous one looks open', () => {
  it('resumes its turns, even if the previous socket breaks off during a late check', async () => {
    const { world, clock, looks, followed, begin } = someSockets();
    const dead = begin();
    await settle();
    begin();
    for (const passed of [0, 1_000, 2_000, 4_000]) await world.advance(passed);
    // The process stood still: the probe's time, and that of the next look, go by together.
    clock.freeze();
    await world.advance(5_500);
    clock.thaw();
    await world.runUntilIdle();
    expect(looks.slice(1)).toHaveLength(5);
    dead.ended(false);
    await world.advance(8_000);
    expect(followed).toEqual(['turn_a']);
  });

  it('stops checking once the previous socket must have broken off', async () => {
    const { world, looks, begin } = someSockets();
    begin();
    await settle();
    begin();
    for (const passed of [0, 1_000, 2_000, 4_000, 4_000, 8_000, 16_000, 60_000]) await world.advance(passed);
    expect(looks.slice(1)).toHaveLength(6);
  });
});
