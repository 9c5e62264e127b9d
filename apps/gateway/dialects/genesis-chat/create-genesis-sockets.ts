import type { Ports } from '#journal';
import { RequestError } from '../../errors/request-error.js';
import type { TurnReader } from '../../turns/turn-reader.js';
import { GenesisSockets, type GenesisSocketsDeps } from './genesis-sockets.js';
import { OpenTurns } from './open-turns.js';
import { realClock } from './wire.js';

export interface GenesisSocketsParts extends Pick<
  GenesisSocketsDeps,
  'turns' | 'traffic' | 'maxWaiting' | 'count' | 'isActive'
> {
  ports: Pick<Ports, 'store' | 'peers' | 'me' | 'log'>;
  turnReader: TurnReader;
}

export function createGenesisSockets({ ports, turnReader, ...parts }: GenesisSocketsParts): GenesisSockets {
  const { store, peers, me, log } = ports;
  const openTurns = new OpenTurns({ store, peers, me, endedAt: (turnId) => endOf(turnReader, turnId) });
  return new GenesisSockets({ ...parts, openTurns, clock: realClock, log });
}

async function endOf(turnReader: TurnReader, turnId: string): Promise<number | undefined | 'gone'> {
  try {
    const { ended_at } = await turnReader.turn(turnId);
    return ended_at === undefined ? undefined : Date.parse(ended_at);
  } catch (error) {
    if (error instanceof RequestError && error.code === 'not_found') return 'gone';
    throw error;
  }
}
