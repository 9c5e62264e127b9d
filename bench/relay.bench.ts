import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { spreadOf, type Row } from './measure.js';

const VIEWERS = [1, 10, 100];
const ROUNDS = 5;
/** Characters of one token in relay-server.ts. */
const TOKEN_LENGTH = 65;
const DELIVERIES = 60_000;

interface Side {
  server: ChildProcess;
  viewers: ChildProcess;
}

/** Tokens a second through a gateway, against a bare Socket.IO broadcast of the same bytes. */
export async function benchRelay(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const viewers of VIEWERS) {
    const raw = await startSide('raw', viewers);
    const ours = await startSide('gateway', viewers);
    const rates = { raw: [] as number[], ours: [] as number[] };
    const tokens = Math.round(DELIVERIES / viewers / 10) * 10;
    await measure(raw, 200);
    await measure(ours, 200);
    for (let round = 0; round < ROUNDS; round++) {
      rates.raw.push(await measure(raw, tokens));
      rates.ours.push(await measure(ours, tokens));
    }
    for (const side of [raw, ours]) for (const child of [side.server, side.viewers]) child.kill();
    rows.push(rowOf(viewers, rates));
  }
  return rows;
}

function rowOf(viewers: number, rates: { raw: number[]; ours: number[] }): Row {
  const [ours, raw] = [spreadOf(rates.ours), spreadOf(rates.raw)];
  return {
    name: `tokens relayed to ${viewers} viewer${viewers === 1 ? '' : 's'}`,
    unit: 'events/s',
    ...ours,
    raw: { p50: raw.p50, p99: raw.p99, max: raw.max },
    ratio: { p50: ours.p50 / raw.p50, p99: ours.p99 / raw.p99 },
    goal: '≥ 0.6, later 0.8',
  };
}

async function startSide(kind: 'raw' | 'gateway', viewers: number): Promise<Side> {
  const server = fork(fileURLToPath(new URL('relay-server.ts', import.meta.url)), [kind]);
  const [{ port, conversation }] = (await once(server, 'message')) as [
    { port: number; conversation: string },
  ];
  const client = fork(fileURLToPath(new URL('relay-viewers.ts', import.meta.url)), [
    String(port),
    conversation,
    String(viewers),
  ]);
  await once(client, 'message');
  return { server, viewers: client };
}

/** Events a second, from the first one sent to the last one received by the last viewer. */
async function measure({ server, viewers }: Side, tokens: number): Promise<number> {
  viewers.send({ expect: tokens * TOKEN_LENGTH });
  await once(viewers, 'message');
  const startedAt = performance.now();
  server.send({ tokens });
  await once(viewers, 'message');
  return (tokens * 1000) / (performance.now() - startedAt);
}
