import { randomUUID } from 'node:crypto';
import { newMessage, type Outcome, type ToolCallBody } from '#contracts';
import { noFaults } from '#faults';
import { createRabbitmqBus, type Bus } from '#messaging';
import { createLogger, createMetrics } from '#observability';
import { createStore, type Store } from '#store';
import type { ToolsetHost } from '#tools';
import { systemTime } from '#time';
import { noSwitches, testPeers } from '#journal/testing';
import { startToolWorker, type RunningToolWorker } from '../../../apps/tool-worker/start-tool-worker.app.js';
import type { ToolOverrides } from '../../../apps/tool-worker/tool-worker.deps.js';
import { rabbitmqForTest } from '../../services/test-services.js';
import { waitFor } from '../../services/wait-for.js';

export interface StartedWorker {
  running: RunningToolWorker;
  processId: string;
  metrics: ReturnType<typeof createMetrics>;
}

/** Tool workers on a vhost of their own; the test plays the orchestrator that sends them calls. */
export class WorkerHarness {
  /** Lines of all workers' logs. */
  readonly log: Record<string, unknown>[] = [];
  private readonly closing: (() => Promise<unknown>)[] = [];
  private calls = 0;

  private constructor(
    private readonly url: string,
    readonly store: Store,
    readonly bus: Bus,
  ) {}

  static async open(): Promise<WorkerHarness> {
    const { url } = (await rabbitmqForTest())!;
    const store = createStore({ dataDir: ':memory:' });
    await store.open();
    const bus = createRabbitmqBus({
      ...systemTime(),
      url,
      role: 'orchestrator',
      processId: `orchestrator-${randomUUID()}`,
    });
    await bus.open();
    return new WorkerHarness(url, store, bus);
  }

  async startWorker(
    hosts: ToolsetHost[],
    overrides: Record<string, ToolOverrides> = {},
  ): Promise<StartedWorker> {
    const processId = `worker-${randomUUID()}`;
    const bus = createRabbitmqBus({ ...systemTime(), url: this.url, role: 'worker', processId });
    await bus.open();
    const destination = { write: (line: string) => void this.log.push(JSON.parse(line)) };
    const log = createLogger({ role: 'worker', level: 'warn', pretty: false, destination });
    const metrics = createMetrics({ collectDefaults: false });
    const running = await startToolWorker({
      ...systemTime(),
      faultPoint: noFaults,
      store: this.store,
      bus,
      processId,
      peers: testPeers(),
      switches: noSwitches(),
      log,
      metrics,
      hosts,
      overridesFor: (name) => overrides[name] ?? {},
    });
    this.closing.push(async () => {
      await running.drain(0);
      await bus.close();
    });
    return { running, processId, metrics };
  }

  /** Sends a call as a committed step would; the answer is its id. */
  async send(tool_name: string, change: Partial<ToolCallBody> = {}): Promise<string> {
    const tool_call_id = `call_${String(++this.calls).padStart(22, '0')}`;
    const body: ToolCallBody = {
      tool_call_id,
      turn_id: 'turn_1',
      conversation_id: 'conv_1',
      n: 1,
      user_id: 'ann',
      tool_name,
      arguments: {},
      class: 'once',
      timeout_ms: 60_000,
      deadline: new Date(Date.now() + 120_000).toISOString(),
      reply_to: 'orchestrator.nobody',
      ...change,
    };
    const queue = `tools.${tool_name.split('.')[0]}`;
    const message = newMessage(systemTime(), 'tool.call', body);
    // A queue that has only just been asked for may not be bound yet.
    await waitFor(async () => (await this.bus.publish(queue, message)) === 'confirmed', {
      what: 'the call is in its queue',
    });
    return tool_call_id;
  }

  outcome(toolCallId: string, timeoutMs = 10_000): Promise<Outcome> {
    return waitFor(() => this.store.getOutcome(toolCallId), { what: `outcome of ${toolCallId}`, timeoutMs });
  }

  async close(): Promise<void> {
    for (const close of this.closing.reverse()) await close();
    await this.bus.close();
    await this.store.close();
  }
}
