import { randomUUID } from 'node:crypto';
import { createRabbitmqBus, type Bus } from '#messaging';
import { createStore, type Store } from '#store';
import { systemTime } from '#time';
import { startProcess } from '../test/services/processes.js';
import { Submitter, startBenchOrchestrator, startEmbedded, writeHistory } from './fleet.js';
import { spreadOf, type Row } from './measure.js';

const LENGTHS = [10, 100, 1_000, 10_000];
const WARM_TURNS = 40;

interface Fleet {
  store: Store;
  bus: Bus;
  stop(): Promise<void>;
}

/** A whole turn with one tool call and a model that takes no time, late in ever longer conversations. */
export async function benchTurns(name: string, start: () => Promise<Fleet>): Promise<Row[]> {
  const fleet = await start();
  const submitter = new Submitter(fleet.store, fleet.bus);
  const warm: Row[] = [];
  const cold: Row[] = [];
  for (const length of LENGTHS) {
    const conversation = `bench_${name}_${length}`;
    await submitter.conversation(conversation);
    await writeHistory(fleet.store, conversation, 1, length - 1);
    const first = await submitter.run(conversation, length);
    const times: number[] = [];
    for (let i = 1; i <= WARM_TURNS; i++) times.push(await submitter.run(conversation, length + i));
    warm.push({ name: `one-tool turn, ${name}, warm, at message ${length}`, unit: 'ms', ...spreadOf(times) });
    cold.push({
      name: `one-tool turn, ${name}, cold, at message ${length}`,
      unit: 'ms',
      ...spreadOf([first]),
    });
  }
  await fleet.stop();
  const growth: Row = {
    name: `one-tool turn, ${name}, warm: at 10,000 ÷ at 10`,
    unit: 'ratio',
    samples: WARM_TURNS,
    p50: warm.at(-1)!.p50 / warm[0]!.p50,
    p99: warm.at(-1)!.p99 / warm[0]!.p99,
    max: warm.at(-1)!.max / warm[0]!.max,
    goal: '≤ 1.1 at p50',
  };
  return [...warm, growth, ...cold];
}

export async function embeddedFleet(dataDir: string): Promise<Fleet> {
  const { store, bus, orchestrator } = await startEmbedded(dataDir);
  return {
    store,
    bus,
    stop: async () => {
      await orchestrator.drain(1_000);
      await store.close();
    },
  };
}

export async function distributedFleet(brokerUrl: string, mongoUrl: string): Promise<Fleet> {
  const worker = await startProcess('tool-worker', {
    RABBITMQ_URL: brokerUrl,
    MONGODB_URL: mongoUrl,
    TOOLSETS: 'math',
    LOG_LEVEL: 'error',
  });
  const store = createStore({ ...systemTime(), url: mongoUrl });
  await store.open();
  const open = async (role: 'orchestrator' | 'gateway') => {
    const processId = `${role}-${randomUUID()}`;
    const bus = createRabbitmqBus({ ...systemTime(), url: brokerUrl, processId, role });
    await bus.open();
    return { bus, processId };
  };
  const own = await open('orchestrator');
  const orchestrator = await startBenchOrchestrator(store, own.bus, own.processId);
  const watcher = await open('gateway');
  return {
    store,
    bus: watcher.bus,
    stop: async () => {
      await orchestrator.drain(1_000);
      await worker.kill('SIGTERM');
      await Promise.all([own.bus.close(), watcher.bus.close(), store.close()]);
    },
  };
}
