import { randomUUID } from 'node:crypto';
import { newMessage, type Conversation, type ConversationEvent, type Turn } from '#contracts';
import { noFaults } from '#faults';
import type { Model, ModelPart, ModelRequest } from '#llm';
import { createMemoryBus, MemoryBroker, type Bus } from '#messaging';
import { createLogger, createMetrics } from '#observability';
import { createStore, type Store } from '#store';
import type { ToolsetHost } from '#tools';
import { SystemClock, systemTime } from '#time';
import { testPeers } from '#journal/testing';
import { Switches } from '../../../libs/bootstrap/switches.js';
import type { OrchestratorSettings } from '../../../apps/orchestrator/deps/orchestrator.deps.js';
import {
  startOrchestrator,
  type RunningOrchestrator,
} from '../../../apps/orchestrator/start-orchestrator.app.js';
import { testSettings } from '../../../apps/orchestrator/testing/test-settings.js';
import { startToolWorker } from '../../../apps/tool-worker/start-tool-worker.app.js';
import { waitFor } from '../../services/wait-for.js';

export const USAGE = { input_tokens: 10, output_tokens: 5, cached_tokens: 0 };

/** A model that says what the script says of its requests, in order. */
export function scriptedModel(
  script: (request: ModelRequest, index: number) => AsyncIterable<ModelPart> | ModelPart[],
): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async *stream(request) {
      yield* script(request, requests.push(request) - 1);
    },
  };
}

interface NewTurn {
  tools?: Conversation['tools'];
  model?: Conversation['model'];
  options?: Turn['options'];
  after?: Turn;
  user?: string;
}

type CreateBus = (identity: { role: 'orchestrator' | 'worker' | 'gateway'; processId: string }) => Bus;

function busesInMemory(): CreateBus {
  const broker = new MemoryBroker(new SystemClock());
  return () => createMemoryBus({ broker, ...systemTime() });
}

/** Orchestrators and workers, on a broker in memory unless told otherwise; the test plays the gateway. */
export class FleetHarness {
  readonly events: ConversationEvent[] = [];
  readonly log: Record<string, unknown>[] = [];
  private readonly closing: (() => Promise<unknown>)[] = [];
  private readonly dead = new Set<string>();
  private readonly roles = { orchestrator: 0, worker: 0, gateway: 0 };

  private constructor(
    readonly store: Store,
    private readonly createBus: CreateBus,
    private readonly logger = createLogger({
      role: 'orchestrator',
      level: 'warn',
      pretty: false,
      destination: { write: (line: string) => void this.log.push(JSON.parse(line)) },
    }),
  ) {}

  static async open(createBus = busesInMemory()): Promise<FleetHarness> {
    const store = createStore({ dataDir: ':memory:' });
    await store.open();
    return new FleetHarness(store, createBus);
  }

  async startOrchestrator(model: Model, settings: Partial<OrchestratorSettings> = {}) {
    const { part, bus } = await this.join('orchestrator');
    const metrics = createMetrics({ collectDefaults: false });
    const orchestrator: RunningOrchestrator = await startOrchestrator({
      ...part,
      model,
      metrics,
      settings: testSettings(settings),
    });
    this.closing.push(async () => {
      await orchestrator.drain(0);
      await bus.close();
    });
    return { ...orchestrator, metrics, bus };
  }

  async startWorker(hosts: ToolsetHost[]): Promise<{ drain(graceMs: number): Promise<void> }> {
    const { part, bus } = await this.join('worker');
    const metrics = createMetrics({ collectDefaults: false });
    const worker = await startToolWorker({ ...part, metrics, hosts, overridesFor: () => ({}) });
    this.closing.push(async () => {
      await worker.drain(0);
      await bus.close();
    });
    return worker;
  }

  /** Submits a turn, in a conversation of its own or `after` another one. */
  async submit(content: string, more: NewTurn = {}): Promise<Turn> {
    const turn = await this.insert(content, { ...more, dueInMs: 5_000 });
    const { _id: turn_id, conversation_id } = turn;
    const bus = await this.gateway();
    await bus.publish('turns', newMessage(systemTime(), 'turn.advance', { turn_id, conversation_id }));
    return turn;
  }

  /** A turn that nobody is told of: it is due. */
  async insert(content: string, more: NewTurn & { dueInMs?: number } = {}): Promise<Turn> {
    const { tools, model, options = {}, after, user = 'ann', dueInMs = 0 } = more;
    const at = new Date().toISOString();
    const conversation_id = after?.conversation_id ?? `conv_${randomUUID()}`;
    const number = (after?.number ?? 0) + 1;
    const owner = { user_id: user, title: '', policy: 'enqueue' as const };
    const choices = { ...(tools && { tools }), ...(model !== undefined && { model }) };
    const times = { created_at: at, updated_at: at };
    if (!after) await this.store.insertConversation({ _id: conversation_id, ...owner, ...choices, ...times });
    const turn: Turn = {
      _id: `turn_${randomUUID()}`,
      conversation_id,
      number,
      user_id: user,
      client_message_id: `m${number}`,
      content,
      options,
      at,
      status: 'queued',
      due_at: Date.now() + dueInMs,
    };
    const bus = await this.gateway();
    await bus.follow(conversation_id);
    await this.store.insertTurn(turn);
    return turn;
  }

  of<T extends ConversationEvent['type']>(turn: Turn, type: T): Extract<ConversationEvent, { type: T }>[] {
    return this.events.filter(
      (event): event is Extract<ConversationEvent, { type: T }> =>
        event.type === type && 'turn_id' in event && event.turn_id === turn._id,
    );
  }

  async event<T extends ConversationEvent['type']>(
    turn: Turn,
    type: T,
  ): Promise<Extract<ConversationEvent, { type: T }>> {
    return waitFor(() => this.of(turn, type)[0], { what: `${type} of ${turn.content}` });
  }

  async gateway(): Promise<Bus> {
    this.gatewayBus ??= (async () => {
      const { bus } = await this.join('gateway');
      bus.onEvent({ event: (event) => this.events.push(event), gap: () => undefined });
      this.closing.push(() => bus.close());
      return bus;
    })();
    return this.gatewayBus;
  }

  /** Called before the store closes, last one first. */
  onClose(close: () => Promise<unknown>): void {
    this.closing.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.closing.reverse()) await close();
    await this.store.close();
  }

  declareDead(processId: string): void {
    this.dead.add(processId);
  }

  private gatewayBus: Promise<Bus> | undefined;

  /** What a process of this role is given to run with. */
  async join(role: 'orchestrator' | 'worker' | 'gateway') {
    const processId = `${role}-${++this.roles[role]}`;
    const bus = this.createBus({ role, processId });
    await bus.open();
    const peers = {
      ...testPeers(this.dead),
      isSuspect: () => Promise.resolve(false),
      isLost: () => Promise.resolve(false),
      countLiving: (of: keyof FleetHarness['roles']) =>
        this.roles[of] - [...this.dead].filter((id) => id.startsWith(of)).length,
    };
    const switches = new Switches({ processId, store: this.store, logger: this.logger });
    await switches.read();
    const part = {
      store: this.store,
      bus,
      peers,
      switches,
      processId,
      log: this.logger,
      faultPoint: noFaults,
      ...systemTime(),
    };
    return { part, bus };
  }
}
