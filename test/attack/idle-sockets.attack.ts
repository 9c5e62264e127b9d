import { setTimeout as delay } from 'node:timers/promises';
import { io } from 'socket.io-client';
import type { Attack } from './attack.js';
import { DeafSocket } from './deaf-socket.js';
import { startTarget } from './target.js';

const STRANGERS = 150;
const TRIES = 20;

/** Connections that never say who they are must not take the places of people who do. */
export const idleSockets: Attack = {
  name: 'idle-sockets',
  says: 'strangers hold 150 connections of a process that takes 50, and open each one again when it is ended',
  async run() {
    const target = await startTarget({
      settings: { limits: { sockets: 50 } },
      env: { TRUSTED_PROXIES: '127.0.0.1' },
    });
    const over = new AbortController();
    try {
      const token = await target.register('ann');
      const strangers = Array.from({ length: STRANGERS }, () => stayConnected(target.port, over.signal));
      await Promise.all(strangers.map(({ isThere }) => isThere));
      const refused = { elsewhere: 0, beside: 0 };
      for (let count = 0; count < TRIES; count++) {
        if (!(await getsIn(target.url, { 'x-forwarded-for': '198.51.100.7' }, token))) refused.elsewhere++;
        const headers = { 'x-forwarded-for': '192.0.2.1', authorization: `Bearer ${token}` };
        if (!(await getsIn(target.url, headers))) refused.beside++;
      }
      return [
        {
          what: 'refused of 20 connections of a user',
          figure: refused.elsewhere,
          unit: 'count',
          goal: { atMost: 0 },
        },
        {
          what: 'refused of 20 connections of a user at the address of the strangers, with a token in the handshake',
          figure: refused.beside,
          unit: 'count',
          goal: { atMost: 0 },
        },
      ];
    } finally {
      over.abort();
      await target.stop();
    }
  },
};

function stayConnected(port: number, over: AbortSignal) {
  let tellThere = (): void => undefined;
  const isThere = new Promise<void>((resolve) => (tellThere = resolve));
  const stay = async (): Promise<void> => {
    while (!over.aborted) {
      const socket = await DeafSocket.open(port, { headers: { 'x-forwarded-for': '192.0.2.1' } });
      tellThere();
      while (!socket.isClosed && !over.aborted) await delay(20);
      socket.destroy();
      await delay(500);
    }
  };
  void stay();
  return { isThere };
}

async function getsIn(url: string, extraHeaders: Record<string, string>, token?: string): Promise<boolean> {
  const socket = io(url, {
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    extraHeaders,
    ...(token === undefined ? {} : { auth: { token } }),
  });
  const isIn = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('connect_error', () => resolve(false));
  });
  socket.disconnect();
  return isIn;
}
