import type { ConversationEvent, Turn } from '#contracts';
import { newMessage } from '#contracts';
import { noFaults } from '#faults';
import type { Model, ModelPart } from '#llm';
import { createMemoryBus, MemoryBroker, type Bus, type WorkerGroup } from '#messaging';
import { createLogger, createMetrics } from '#observability';
import { createStore, type Store } from '#store';
import { createLocalToolsets } from '#toolsets';
import { SystemClock, systemTime } from '#time';
import { noSwitches, testPeers } from '#journal/testing';
import { startOrchestrator } from '../apps/orchestrator/start-orchestrator.app.js';
import { testSettings } from '../apps/orchestrator/testing/test-settings.js';
import { startToolWorker } from '../apps/tool-worker/start-tool-worker.app.js';

const log = createLogger({ role: 'bench', level: 'error', pretty: false });
const metrics = createMetrics({ collectDefaults: false });
/** Nobody dies in a benchmark. */
const peers = testPeers();
const switches = noSwitches();

/** One tool call, then a short answer; takes no time and keeps nothing. */
export function oneToolModel(): Model {
  const usage = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };
  return {
    async *stream({ messages }): AsyncIterable<ModelPart> {
      const last = messages.at(-1);
      const isAnswered = last?.role === 'user' && last.content.some((item) => item.type === 'tool_result');
      if (isAnswered) yield { type: 'text', text: 'The answer is 42.' };
      else
        yield { type: 'tool_call', name: 'math__add', arguments: { a: 17, b: 25 }, raw: '{"a":17,"b":25}' };
      yield { type: 'end', stop_reason: isAnswered ? 'end_turn' : 'tool_use', usage };
    },
  };
}

export async function startBenchOrchestrator(
  store: Store,
  bus: Bus,
  processId: string,
  groups: readonly WorkerGroup[] = [],
) {
  const settings = testSettings({ model: 'scripted', turnsAtOnce: 200, groups });
  return startOrchestrator({
    ...systemTime(),
    faultPoint: noFaults,
    store,
    bus,
    processId,
    peers,
    switches,
    model: oneToolModel(),
    log,
    metrics,
    settings,
  });
}

export async function startBenchWorker(store: Store, bus: Bus, processId: string) {
  const hosts = createLocalToolsets({ clock: new SystemClock() }).filter(({ name }) => name === 'math');
  return startToolWorker({
    ...systemTime(),
    faultPoint: noFaults,
    store,
    bus,
    processId,
    peers,
    switches,
    log,
    metrics,
    hosts,
    overridesFor: () => ({}),
  });
}

/** Orchestrator, worker and a watcher in this process, over the in-memory bus and a SQLite file. */
export async function startEmbedded(dataDir: string) {
  const store = createStore({ dataDir });
  await store.open();
  const broker = new MemoryBroker(new SystemClock());
  const open = async () => {
    const bus = createMemoryBus({ broker, ...systemTime() });
    await bus.open();
    return bus;
  };
  await startBenchWorker(store, await open(), 'worker-bench');
  const orchestrator = await startBenchOrchestrator(store, await open(), 'orchestrator-bench');
  return { store, bus: await open(), orchestrator };
}

/** Submits turns as a gateway does and waits for their `complete`. */
export class Submitter {
  private readonly waiting = new Map<string, () => void>();

  constructor(
    private readonly store: Store,
    private readonly bus: Bus,
  ) {
    bus.onEvent({ event: (event) => this.take(event), gap: () => undefined });
  }

  async conversation(id: string): Promise<void> {
    const at = new Date().toISOString();
    await this.store.insertConversation({
      _id: id,
      user_id: 'bench',
      title: '',
      policy: 'enqueue',
      created_at: at,
      updated_at: at,
    });
    await this.bus.follow(id);
  }

  /** Milliseconds from the insert of the turn to its `complete` event. */
  async run(conversationId: string, number: number): Promise<number> {
    const turn = turnRow(conversationId, number, 'queued');
    const ended = new Promise<void>((resolve) => this.waiting.set(turn._id, resolve));
    const startedAt = performance.now();
    await this.store.insertTurn(turn);
    await this.bus.publish(
      'turns',
      newMessage(systemTime(), 'turn.advance', { turn_id: turn._id, conversation_id: conversationId }),
    );
    await ended;
    return performance.now() - startedAt;
  }

  private take(event: ConversationEvent): void {
    if (event.type !== 'complete' && event.type !== 'error') return;
    if (event.type === 'error') throw new Error(`the turn failed: ${event.message}`);
    this.waiting.get(event.turn_id)?.();
    this.waiting.delete(event.turn_id);
  }
}

export function turnRow(conversationId: string, number: number, status: Turn['status']): Turn {
  return {
    _id: `${conversationId}_t${number}`,
    conversation_id: conversationId,
    number,
    user_id: 'bench',
    client_message_id: `m${number}`,
    content: `What is 17 + 25, for the ${number}th time?`,
    options: {},
    at: new Date().toISOString(),
    status,
    due_at: status === 'queued' ? Date.now() + 60_000 : null,
  };
}

/** Turns that ended long ago: rows only, nobody ran them. */
export async function writeHistory(
  store: Store,
  conversationId: string,
  from: number,
  to: number,
): Promise<void> {
  const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
  const atOnce = 50;
  for (let i = 0; i < numbers.length; i += atOnce) {
    await Promise.all(
      numbers.slice(i, i + atOnce).map((number) => writeEndedTurn(store, conversationId, number)),
    );
  }
}

async function writeEndedTurn(store: Store, conversationId: string, number: number): Promise<void> {
  const turn = turnRow(conversationId, number, 'completed');
  await store.insertTurn(turn);
  await store.commitStep({
    _id: `${turn._id}:1`,
    turn_id: turn._id,
    conversation_id: conversationId,
    turn_number: number,
    n: 1,
    attempt: 100,
    kind: 'model',
    blocks: [{ type: 'text', text: `Answer number ${number}: it is 42, as it was before.` }],
    calls: [],
    stop_reason: 'end_turn',
    usage: { input_tokens: 100, output_tokens: 10, cached_tokens: 0 },
    at: turn.at,
  });
}
