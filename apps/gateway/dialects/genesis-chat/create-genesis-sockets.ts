import { controlKey, newMessage } from '#contracts';
import { isNotFound } from '../../errors/request-error.js';
import type { TurnReader } from '../../turns/turn-reader.js';
import type { DialectHost } from '../host/dialect.js';
import { GenesisSockets } from './genesis-sockets.js';
import { OpenTurns } from './open-turns.js';

export function createGenesisSockets(gateway: DialectHost): GenesisSockets {
  const { ports, turnReader, dialectTurns: turns, userTraffic: traffic } = gateway;
  const { store, bus, peers, me, log, clock, random } = ports;
  const endedAt = (turnId: string) => endOf(turnReader, turnId);
  const openTurns = new OpenTurns({ store, peers, me, clock, endedAt });
  const probeAt = async (gateway: string, user_id: string): Promise<void> => {
    const message = newMessage(ports, 'socket.probe', { user_id });
    // If the process cannot be reached, it is found dead, or the socket is noticed later.
    await bus.send(controlKey(gateway), message).catch(() => undefined);
  };
  return new GenesisSockets({
    turns,
    traffic,
    maxWaiting: gateway.maxRequestsInFlight,
    count: () => gateway.countSockets(),
    isActive: (user) => gateway.isActive(user),
    openTurns,
    probeAt,
    clock,
    random,
    log,
  });
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
