import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { controlKey } from '#contracts';
import { createStore } from '#store';
import { systemTime } from '#time';
import { findFreePort } from '../test/services/free-port.js';
import { startProcess } from '../test/services/processes.js';
import { GROUP, openBus } from './bench-bus.js';
import { CallWatch } from './call-watch.js';
import { Submitter, startBenchOrchestrator } from './fleet.js';
import { compared, type Row } from './measure.js';
import { startRaw } from './raw-call.js';

const CALLS = 400;
const WARM_UP = 400;

interface Urls {
  brokerUrl: string;
  mongoUrl: string;
}

/** The worker's way to the store: its own, or over the ledger, served by the driver of the turn or by another. */
type Way = 'store' | 'driver' | 'another';

const WAYS: { way: Way; name: string; goal: string }[] = [
  { way: 'store', name: 'tool call, distributed', goal: '≤ 1.5 at p50, ≤ 2 at p99' },
  { way: 'driver', name: 'tool call of a group, the driver serves', goal: '≤ 1.8 at p50' },
  { way: 'another', name: 'tool call of a group, another serves', goal: '≤ 2.3 at p50' },
];

/**
 * Added latency of a tool call: from "step committed" to "result in the orchestrator's memory", against a raw
 * request over a quorum queue with two inserts and a reply. Both alternate call by
 * call, so that drift of the machine, and caches that are cold after other work, hit both.
 */
export async function benchToolCall(brokerUrl: string, mongoUrl: string): Promise<Row[]> {
  const raw = await startRaw(brokerUrl, mongoUrl);
  const rows: Row[] = [];
  for (const { way, name, goal } of WAYS) {
    const ours = await startOurs({ brokerUrl, mongoUrl }, way);
    const rawTimes: number[] = [];
    const ourTimes: number[] = [];
    for (let i = 0; i < WARM_UP + CALLS; i++) {
      rawTimes.push(await raw.call());
      ourTimes.push(await ours.call());
    }
    for (const times of [rawTimes, ourTimes]) times.splice(0, WARM_UP);
    await ours.stop();
    rows.push(compared(name, ourTimes, rawTimes, goal));
  }
  await raw.stop();
  return rows;
}

async function startOurs({ brokerUrl, mongoUrl }: Urls, way: Way) {
  const plain = createStore({ ...systemTime(), url: mongoUrl });
  await plain.open();
  const watch = new CallWatch();
  const groups = way === 'store' ? [] : [GROUP];
  const ignored = way === 'another' ? ['ledger.'] : [];
  const own = await openBus(brokerUrl, 'orchestrator', { groups, ignored });
  const gateway = await openBus(brokerUrl, 'gateway');
  const orchestrator = await startBenchOrchestrator(watch.observe(plain), own.bus, own.processId, groups);
  const stopWorker = await startWorker({ brokerUrl, mongoUrl }, way, controlKey(own.processId));
  const submitter = new Submitter(plain, gateway.bus);
  const conversation = `bench_calls_${way}`;
  await submitter.conversation(conversation);
  let number = 0;
  return {
    async call(): Promise<number> {
      await submitter.run(conversation, ++number);
      return watch.lastMs;
    },
    async stop(): Promise<void> {
      await orchestrator.drain(1_000);
      await stopWorker();
      await Promise.all([own.bus.close(), gateway.bus.close(), plain.close()]);
    },
  };
}

/** Resolves, when the worker offers its tools, to what ends it. */
async function startWorker({ brokerUrl, mongoUrl }: Urls, way: Way, driver: string) {
  const more = { TOOLSETS: 'math', LOG_LEVEL: 'error' };
  const ofGroup = { RABBITMQ_URL: brokerUrl, WORKER_GROUP: GROUP.name, ...more };
  if (way !== 'another') {
    const ofStore = { RABBITMQ_URL: brokerUrl, MONGODB_URL: mongoUrl, ...more };
    const worker = await startProcess('tool-worker', way === 'driver' ? ofGroup : ofStore);
    return () => worker.kill('SIGTERM');
  }
  const server = await startScript('ledger-server.ts', [brokerUrl, mongoUrl]);
  const env = { ...ofGroup, PORT: String(await findFreePort()) };
  const worker = await startScript('group-worker.ts', [driver], env);
  return async () => {
    for (const script of [worker, server]) {
      script.kill();
      await once(script, 'exit');
    }
  };
}

async function startScript(name: string, args: string[], env: Record<string, string> = {}) {
  const script = fork(fileURLToPath(new URL(name, import.meta.url)), args, {
    env: { ...process.env, ...env },
  });
  await once(script, 'message');
  return script;
}
