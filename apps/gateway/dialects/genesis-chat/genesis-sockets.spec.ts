import { afterEach, describe, expect, it } from '@jest/globals';
import { GenesisSockets, type GenesisSocketsDeps } from './genesis-sockets.js';
import type { TakeOver } from './open-turns.js';
import { ANN, anOpenTurn, FakeClock, settle } from './testing/fake-socket.js';
import type { Wire } from './wire.js';

const wire: Wire = {
  send: () => Promise.resolve(),
  onceArrived: () => undefined,
  probe: () => undefined,
  close: () => undefined,
  cutOff: () => undefined,
};

const made: GenesisSockets[] = [];
afterEach(() => Promise.all(made.splice(0).map((sockets) => sockets.leaveAll(0))));

/** The sockets of one process, of which the first one holds a turn for as long as it is open. */
function someSockets() {
  const clock = new FakeClock();
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
    maxWaiting: 8,
    turns: { follow },
    openTurns: { takeOver, drop: async () => undefined },
    count: () => undefined,
    isActive: async () => true,
    log: { warn: (fields: { err: Error }) => void followed.push(String(fields.err)) },
  };
  const sockets = new GenesisSockets(deps as unknown as GenesisSocketsDeps);
  made.push(sockets);
  return { clock, looks, followed, begin: () => sockets.begin(ANN, wire) };
}

describe('a socket that comes while the one before it looks open', () => {
  it('goes on with its turns, also if that is cut off in the moment of a late look', async () => {
    const { clock, looks, followed, begin } = someSockets();
    const dead = begin();
    await settle();
    begin();
    for (const passed of [0, 1_000, 2_000, 4_000]) await clock.advance(passed);
    // The process stood still: the probe's time, and that of the next look, go by together.
    await clock.advance(5_500);
    expect(looks.slice(1)).toHaveLength(5);
    dead.ended(false);
    await clock.advance(8_000);
    expect(followed).toEqual(['turn_a']);
  });

  it('looks no more once that must have been cut off', async () => {
    const { clock, looks, begin } = someSockets();
    begin();
    await settle();
    begin();
    for (const passed of [0, 1_000, 2_000, 4_000, 4_000, 8_000, 16_000, 60_000]) await clock.advance(passed);
    expect(looks.slice(1)).toHaveLength(6);
  });
});
