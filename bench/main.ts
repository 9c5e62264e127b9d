import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { startMongo } from '../test/services/mongo.js';
import { startRabbitmq } from '../test/services/rabbitmq.js';
import { formatTable, type Row } from './measure.js';
import { benchDialects } from './dialects.bench.js';
import { benchMemory } from './memory.bench.js';
import { benchPage } from './page.bench.js';
import { benchRecovery } from './recovery.bench.js';
import { benchRelay } from './relay.bench.js';
import { benchSweeper } from './sweeper.bench.js';
import { benchToolCall } from './tool-call.bench.js';
import { benchTurns, distributedFleet, embeddedFleet } from './turn.bench.js';

/*
 * `npm run bench [calls] [embedded] [memory] [sweeper] [distributed] [relay] [dialects] [recovery] [page]`: all without a name. Starts its own
 * RabbitMQ and MongoDB-protocol server; writes test-results/bench.json.
 */

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const rows: Row[] = [];

if (isWanted('page')) rows.push(...(await benchPage()));
if (isWanted('relay')) rows.push(...(await benchRelay()));
if (isWanted('dialects')) rows.push(...(await benchDialects()));
if (isWanted('embedded')) {
  await inFolder(async (dataDir) => {
    rows.push(...(await benchTurns('embedded', () => embeddedFleet(dataDir))));
  });
}
if (isWanted('memory')) await inFolder(async (dataDir) => void rows.push(...(await benchMemory(dataDir))));
if (isWanted('sweeper')) {
  rows.push(...(await benchSweeper('SQLite', ':memory:', 100_000)));
  const mongo = await startMongo({});
  rows.push(...(await benchSweeper('MongoDB protocol', mongo.url('bench_sweeper'), 2_000)));
  await mongo.stop();
}
if (['calls', 'distributed', 'recovery'].some(isWanted)) {
  const [rabbitmq, mongo] = await Promise.all([startRabbitmq(), startMongo({})]);
  if (isWanted('calls')) rows.push(...(await benchToolCall(rabbitmq.url('/'), mongo.url('bench_calls'))));
  if (isWanted('distributed')) {
    rows.push(
      ...(await benchTurns('distributed', () =>
        distributedFleet(rabbitmq.url('/'), mongo.url('bench_turns')),
      )),
    );
  }
  if (isWanted('recovery')) rows.push(...(await benchRecovery({ rabbitmq, mongo })));
  await Promise.all([rabbitmq.stop(), mongo.stop()]);
}

const machine = {
  node: process.version,
  cpus: cpus().length,
  model: cpus()[0]?.model,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
};
await mkdir('test-results', { recursive: true });
await writeFile(
  'test-results/bench.json',
  `${JSON.stringify({ machine, at: new Date().toISOString(), rows }, null, 2)}\n`,
);
console.log(
  `${machine.cpus} × ${machine.model}, ${machine.memoryGiB} GiB, Node ${machine.node}\n\n${formatTable(rows)}`,
);
process.exit(0);

async function inFolder(work: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
  await work(dataDir);
  await rm(dataDir, { recursive: true });
}
