import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection } from '../services/raw-connection.js';
import { waitFor } from '../services/wait-for.js';
import type { Attack, Finding } from './attack.js';
import { startTarget, type Target } from './target.js';

/** Where the hostile clients are; the others come from 127.0.0.1. */
const FROM = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
const HALF_SENT = 1_100;
const SILENT = 400;
const BEHIND_ONE = 14;
/** Twice the places of strangers. */
const IN_LINE = 30 * BEHIND_ONE;
const PROBES = 20;
/** Bodies and headers may take 10 s; a process that has other work to do looks at them later. */
const PATIENCE_MS = 20_000;

/** Requests that never become whole must not keep others from being served. */
export const halfSent: Attack = {
  name: 'half-sent',
  says: 'a stranger begins a thousand requests and never sends their bodies, or not even their headers, and leaves with others in line',
  async run({ isShort }) {
    const target = await startTarget();
    const hostile: RawConnection[] = [];
    try {
      const token = await target.register('ann');
      hostile.push(...(await begin(target, HALF_SENT, '/api/conversations')));
      hostile.push(...(await begin(target, HALF_SENT / 2, '/health/x')));
      hostile.push(...(await open(target, SILENT)));
      hostile.push(...(await open(target, SILENT, 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')));
      await readByNow(target);
      await leaveInLine(target);
      const findings = [countAccepted(hostile), ...(await probe(target, token))];
      if (!isShort) findings.push(...(await drip(target, hostile)));
      return findings;
    } finally {
      for (const connection of hostile) connection.close();
      await target.stop();
    }
  },
};

async function open({ port }: Target, count: number, text?: string): Promise<RawConnection[]> {
  const opened: RawConnection[] = [];
  for (let at = 0; at < count; at++) {
    const connection = await RawConnection.open({ port, from: FROM[at % FROM.length] });
    if (text !== undefined) connection.send(text);
    opened.push(connection);
  }
  return opened;
}

async function begin(target: Target, count: number, path: string): Promise<RawConnection[]> {
  const opened = await open(target, count);
  for (const connection of opened) connection.begin(path);
  return opened;
}

/** Resolves once the process has read what was sent before: it reads its connections in turn. */
async function readByNow({ url }: Target): Promise<void> {
  for (let count = 0; count < 5; count++) await fetch(`${url}/health/live`).then((answer) => answer.text());
}

/** A slow request and those behind it on the same connection: what they have taken must end with it. */
async function leaveInLine(target: Target): Promise<void> {
  const form = 'username=nobody&password=wrong+password';
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const leaving = await open(target, IN_LINE / BEHIND_ONE);
  for (const connection of leaving) {
    connection.begin('/api/auth/token', { headers: type, length: form.length, body: form });
    connection.send('GET /api/conversations HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(BEHIND_ONE));
  }
  await readByNow(target);
  for (const connection of leaving) connection.close();
  await readByNow(target);
}

async function probe({ url }: Target, token: string): Promise<Finding[]> {
  const status = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(url + path, { ...init, headers: { connection: 'close', ...init.headers } });
    await answer.arrayBuffer();
    return answer.status;
  };
  const form = 'username=ann&password=correct+horse';
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const probes: [what: string, send: () => Promise<number>][] = [
    ['pages', () => status('/')],
    [
      'API requests of somebody else',
      () => status('/api/tools', { headers: { authorization: `Bearer ${token}` } }),
    ],
    ['sign-ins', () => status('/api/auth/token', { method: 'POST', body: form, headers: type })],
  ];
  const findings: Finding[] = [];
  for (const [what, send] of probes) {
    let failed = 0;
    for (let count = 0; count < PROBES; count++) if ((await send().catch(() => 0)) !== 200) failed++;
    findings.push({
      what: `failed of ${PROBES} ${what}`,
      figure: failed,
      unit: 'count',
      goal: { atMost: 0 },
    });
  }
  return findings;
}

/** Those that hold a place: neither refused nor cut off. */
function countAccepted(hostile: RawConnection[]): Finding {
  const begun = hostile.slice(0, HALF_SENT + HALF_SENT / 2);
  const held = begun.filter(({ isClosed, statuses }) => !isClosed && statuses.length === 0);
  return {
    what: 'half-sent requests of strangers that hold a place',
    figure: held.length,
    unit: 'count',
    goal: { atMost: 200 },
  };
}

/** One byte now and then must not keep a body going, nor must headers or nothing at all keep a connection open. */
async function drip(target: Target, hostile: RawConnection[]): Promise<Finding[]> {
  const dripping = await begin(target, 10, '/api/conversations');
  hostile.push(...dripping);
  const endsAt = performance.now() + PATIENCE_MS;
  while (performance.now() < endsAt) {
    for (const connection of hostile) if (connection.statuses.length === 0) connection.send('x');
    await Promise.race([
      delay(5_000),
      waitFor(() => hostile.every(({ isClosed }) => isClosed), { what: 'their end', timeoutMs: PATIENCE_MS }),
    ]).catch(() => undefined);
    if (hostile.every(({ isClosed }) => isClosed)) break;
  }
  const left = hostile.filter(({ isClosed }) => !isClosed).length;
  return [
    {
      what: 'connections left after the time for headers and bodies',
      figure: left,
      unit: 'count',
      goal: { atMost: 0 },
    },
  ];
}
