import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Row } from './measure.js';
import { startEmbedded, Submitter, turnRow } from './fleet.js';

/** Characters that the orchestrator's history cache holds at most (apps/orchestrator/turn/history.ts). */
const CACHE_CHARACTERS = 64 * 1024 * 1024;
const TURN_CHARACTERS = 64 * 1024;
const TURNS = 32;
const CONVERSATIONS_PER_CACHE = Math.ceil(CACHE_CHARACTERS / (TURN_CHARACTERS * TURNS)) + 4;

/**
 * Heap of a process with an orchestrator in it, after work on as many long conversations as its history cache
 * holds, and after work on twice as many again.
 */
export async function benchMemory(dataDir: string): Promise<Row[]> {
  const fleet = await startEmbedded(dataDir);
  const submitter = new Submitter(fleet.store, fleet.bus);
  const work = async (from: number, count: number): Promise<number> => {
    for (let i = from; i < from + count; i++) {
      const conversation = `bench_memory_${i}`;
      await submitter.conversation(conversation);
      for (let number = 1; number < TURNS; number++) {
        const content = `${i} ${number} ${'x'.repeat(TURN_CHARACTERS)}`;
        await fleet.store.insertTurn({ ...turnRow(conversation, number, 'completed'), content });
      }
      await submitter.run(conversation, TURNS);
      fleet.bus.unfollow(conversation);
    }
    return heapMiB();
  };
  await work(0, 1);
  const empty = heapMiB();
  const full = await work(1, CONVERSATIONS_PER_CACHE);
  const later = await work(1 + CONVERSATIONS_PER_CACHE, 2 * CONVERSATIONS_PER_CACHE);
  await fleet.orchestrator.drain(1_000);
  await fleet.store.close();
  return [
    single('orchestrator heap, history cache empty', 'MiB', empty),
    single(`orchestrator heap, after ${CONVERSATIONS_PER_CACHE} conversations of 2 MiB`, 'MiB', full),
    single(`orchestrator heap, after ${3 * CONVERSATIONS_PER_CACHE} of them`, 'MiB', later),
    {
      ...single('orchestrator heap: after three caches full ÷ after one', 'ratio', later / full),
      goal: '≤ 1.1',
    },
  ];
}

function single(name: string, unit: Row['unit'], value: number): Row {
  return { name, unit, samples: 1, p50: value, p99: value, max: value };
}

function heapMiB(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
