import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rm } from 'node:fs/promises';
import { createStore } from '#store';
import { systemTime } from '#time';
import { startMongo } from '../services/mongo.js';
import { startRabbitmq } from '../services/rabbitmq.js';
import { waitFor } from '../services/wait-for.js';
import { FILES, type Run } from './evidence.js';
import { Fleet } from './fleet.js';
import { Monkey } from './monkey.js';
import { lookAfresh } from './newcomer.js';
import { parseOptions, type SoakOptions } from './options.js';
import { Person } from './person.js';
import { SoakProvider } from './provider.js';
import { Random } from './random.js';
import { Recorder } from './recorder.js';
import { countOpen, dumpStore } from './store-dump.js';

/*
 * `npm run soak -- --minutes 30 --kill-every 3s`: many conversations on real processes, a broker and a store, while a
 * monkey kills and freezes all of them. What everybody saw goes to a folder, which a separate program judges.
 */

const SIZES = { gateway: 2, orchestrator: 3, 'tool-worker': 3 } as const;
/** After the monkey: what is still under way must have ended by then. */
const CALM_MS = 240_000;
const SAMPLE_MS = 2_000;

const options = parseOptions(process.argv.slice(2), () => 1 + Math.floor(Math.random() * 1_000_000));
const folder = resolve(options.folder ?? join('test-results', `soak-${options.seed}`));
await rm(folder, { recursive: true, force: true });
await run(options, folder);
process.exit(judge(folder));

async function run(options: SoakOptions, folder: string): Promise<void> {
  const { seed, minutes, killEveryMs, conversations } = options;
  console.log(
    `soak: ${minutes} min, a strike every ${killEveryMs} ms, --seed ${seed}, evidence in ${folder}`,
  );
  const recorder = new Recorder(folder);
  const random = new Random(seed);
  const tracePath = join(folder, FILES.starts);
  writeFileSync(tracePath, '');
  const [rabbitmq, mongo, provider] = await Promise.all([
    startRabbitmq(),
    startMongo({ file: true }),
    SoakProvider.start(random.fork()),
  ]);
  const env = {
    RABBITMQ_URL: rabbitmq.url(),
    MONGODB_URL: mongo.url('soak'),
    SWITCHYARD_BUS_FAULT: busFault(options),
    ...provider.env,
  };
  const fleet = await Fleet.start({ recorder, sizes: SIZES, tracePath, env });
  const store = createStore({ ...systemTime(), url: env.MONGODB_URL });
  await store.open();
  const startedAt = Date.now();
  const lastsMs = minutes * 60_000;
  const progress = () => (Date.now() - startedAt) / lastsMs;
  const sampling = setInterval(() => fleet.sampleMemory(), SAMPLE_MS);
  const monkey = new Monkey({ fleet, rabbitmq, mongo, random: random.fork(), killEveryMs, progress });
  const isOver = () => progress() >= 1;
  const people = Array.from({ length: conversations }, (_, i) => {
    const name = `p${i + 1}`;
    return new Person({ name, gateways: fleet.gatewayUrls(), recorder, random: random.fork(), isOver });
  });
  const living = people.map(async (person) => {
    while (!isOver()) await person.live();
  });
  const working = monkey.work();
  const progressTimer = setInterval(() => printProgress(progress(), monkey, provider), 60_000);
  await waitFor(isOver, { what: 'the end of the run', timeoutMs: 2 * lastsMs + 60_000, intervalMs: 200 });
  clearInterval(progressTimer);
  await monkey.stop();
  await working;
  const calmAt = Date.now();
  console.log(`soak: calm after ${monkey.strikes} strikes; waiting for the end of everything`);
  const isCalm = async () => (await countOpen(store)) === 0;
  await waitFor(isCalm, { what: 'the end of every turn', timeoutMs: CALM_MS, intervalMs: 1_000 }).catch(
    (error: unknown) => console.error(String(error)),
  );
  await Promise.all(living);
  await Promise.all(people.map((person) => person.close()));
  const conversationIds = await dumpStore(store, recorder);
  for (const gateway of fleet.gatewayUrls()) await lookAfresh(gateway, conversationIds, recorder);
  clearInterval(sampling);
  await fleet.close();
  const { requestCount: modelRequests, violations } = provider;
  const command = `npm run soak -- ${process.argv.slice(2).join(' ')}`;
  const record: Run = { seed, command, startedAt, calmAt, endedAt: Date.now(), violations, modelRequests };
  recorder.write(FILES.run, record);
  await store.close();
  await Promise.all([rabbitmq.stop(), mongo.stop(), provider.close()]);
  recorder.flush();
}

function printProgress(progress: number, monkey: Monkey, provider: SoakProvider): void {
  const share = `${Math.round(progress * 100)} %`;
  console.log(`soak: ${share}, ${monkey.strikes} strikes, ${provider.requestCount} requests of the model`);
}

function busFault({ twice, drop }: SoakOptions): string {
  return [...(twice ? ['twice'] : []), ...(drop > 0 ? [`drop:${drop}`] : [])].join(',');
}

/** A program of its own, which knows nothing but the folder. */
function judge(folder: string): number {
  const main = fileURLToPath(new URL('./judge/main.ts', import.meta.url));
  const { status } = spawnSync(process.execPath, [...process.execArgv, main, folder], { stdio: 'inherit' });
  return status ?? 1;
}
