import { controlKey, newMessage } from '#contracts';
import type { Ports } from '#journal';
import { isNotFound } from '../../errors/request-error.js';
import type { TurnReader } from '../../turns/turn-reader.js';
import { GenesisSockets, type GenesisSocketsDeps } from './genesis-sockets.js';
import { OpenTurns } from './open-turns.js';

export interface GenesisSocketsParts extends Pick<
  GenesisSocketsDeps,
  'turns' | 'traffic' | 'maxWaiting' | 'count' | 'isActive'
> {
  ports: Pick<Ports, 'store' | 'bus' | 'peers' | 'me' | 'log' | 'clock' | 'random'>;
  turnReader: TurnReader;
}

export function createGenesisSockets({ ports, turnReader, ...parts }: GenesisSocketsParts): GenesisSockets {
  const { store, bus, peers, me, log, clock, random } = ports;
  const endedAt = (turnId: string) => endOf(turnReader, turnId);
  const openTurns = new OpenTurns({ store, peers, me, clock, endedAt });
  const probeAt = async (gateway: string, user_id: string): Promise<void> => {
    const message = newMessage(ports, 'socket.probe', { user_id });
    // Whoever is not reached is found to be dead, or the socket is noticed later.
    await bus.send(controlKey(gateway), message).catch(() => undefined);
  };
  return new GenesisSockets({ ...parts, openTurns, probeAt, clock, random, log });
}

async function endOf(turnReader: TurnReader, turnId: string): Promise<number | undefined | 'gone'> {
  try {
    const { ended_at } = await turnReader.turn(turnId);
    return ended_at === undefined ? undefined : Date.parse(ended_at);
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    throw error;
  }
}
