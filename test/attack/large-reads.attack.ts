import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from './attack.js';
import { startTarget, type Target } from './target.js';

const TEXT = '€'.repeat(65_536);
const MESSAGES = 240;
const MESSAGES_SHORT = 12;
const UNREAD = 30;
const READING_MS = 10_000;

/** What one request may make a process read, send and hold. */
export const largeReads: Attack = {
  name: 'large-reads',
  says: 'a user asks for long conversations again and again, and does not read the answers',
  async run({ isShort }) {
    const target = await startTarget({ settings: { limits: { turns_at_once: 1_000 } } });
    const unread: Socket[] = [];
    try {
      const token = await target.register('ann');
      const path = await fill(target, token, isShort ? MESSAGES_SHORT : MESSAGES);
      const page = await fetch(`${target.url}${path}/turns?limit=100`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { byteLength } = await page.arrayBuffer();
      const before = target.rssMiB();
      target.beginWatch();
      if (!isShort) {
        for (let count = 0; count < UNREAD; count++) unread.push(await ask(target, token, path));
        await delay(READING_MS);
      }
      const { longestSilenceMs, peakMiB } = await target.endWatch();
      return [
        {
          what: 'bytes of one page of turns',
          figure: byteLength,
          unit: 'bytes',
          goal: { atMost: 1.1 * 1024 * 1024 },
        },
        {
          what: `memory for ${UNREAD} unread lists of messages`,
          figure: peakMiB - before,
          unit: 'MiB',
          goal: { atMost: 150 },
        },
        { what: 'longest silence', figure: longestSilenceMs, unit: 'ms', goal: { atMost: 100 } },
      ];
    } finally {
      for (const socket of unread) socket.destroy();
      await target.stop();
    }
  },
};

/** A conversation with so many messages; answers its path. */
async function fill(target: Target, token: string, messages: number): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(target.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const { id } = (await (await post('/api/conversations', {})).json()) as { id: string };
  for (let sent = 0; sent < messages; sent++) {
    const answer = await post(`/api/conversations/${id}/turns`, { content: TEXT });
    if (answer.status !== 202) throw new Error(`message ${sent}: ${answer.status} ${await answer.text()}`);
    const { turn_id } = (await answer.json()) as { turn_id: string };
    // What the model would make of it is another matter.
    await (await post(`/api/turns/${turn_id}/stop`, {})).arrayBuffer();
  }
  return `/api/conversations/${id}`;
}

async function ask(target: Target, token: string, path: string): Promise<Socket> {
  const socket = connect(target.port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  const head = [
    `GET ${path}/messages?limit=500 HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${token}`,
  ];
  socket.write([...head, '', ''].join('\r\n'));
  return socket;
}
