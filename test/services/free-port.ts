import { randomInt } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';

/** Below the ports that Linux gives to outgoing connections: one of those could be taken before it is listened on. */
const lowestPort = 15_000;
const highestPort = 32_000;
/** Each worker of jest takes ports of its own: what one has found may be listened on only seconds later. */
const shares = 8;
const portsOfShare = Math.floor((highestPort - lowestPort) / shares);
const firstPort = lowestPort + (Number(process.env.JEST_WORKER_ID ?? 0) % shares) * portsOfShare;
/** One after the other: the same one again only when all others have been given. */
let turn = randomInt(portsOfShare);

/** A port of 127.0.0.1 that nobody listened on a moment ago. Ask for several at once: they differ. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listenAnywhere()));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export async function findFreePort(): Promise<number> {
  const [port] = await findFreePorts(1);
  return port!;
}

async function listenAnywhere(): Promise<ReturnType<typeof createServer>> {
  for (;;) {
    const server = createServer();
    const isListening = new Promise<boolean>((resolve, reject) => {
      server.once('listening', () => resolve(true));
      server.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
      );
    });
    turn = (turn + 1) % portsOfShare;
    server.listen(firstPort + turn, '127.0.0.1');
    if (await isListening) return server;
  }
}
