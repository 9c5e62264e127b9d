import { fork } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { connect } from 'amqplib';
import { createRabbitmqBus } from '#messaging';
import { createStore, type Store } from '#store';
import { systemTime } from '#time';
import { startProcess } from '../test/services/processes.js';
import { Submitter, startBenchOrchestrator } from './fleet.js';
import { compared, type Row } from './measure.js';

const CALLS = 400;
const WARM_UP = 400;

/**
 * Added latency of a tool call: from "step committed" to "result in the orchestrator's memory", against a raw
 * request over a quorum queue with two inserts and a reply. Both alternate call by
 * call, so that drift of the machine, and caches that are cold after other work, hit both.
 */
export async function benchToolCall(brokerUrl: string, mongoUrl: string): Promise<Row[]> {
  const raw = await startRaw(brokerUrl, mongoUrl);
  const ours = await startOurs(brokerUrl, mongoUrl);
  const rawTimes: number[] = [];
  const ourTimes: number[] = [];
  for (let i = 0; i < WARM_UP + CALLS; i++) {
    rawTimes.push(await raw.call());
    ourTimes.push(await ours.call());
  }
  for (const times of [rawTimes, ourTimes]) times.splice(0, WARM_UP);
  await Promise.all([raw.stop(), ours.stop()]);
  return [compared('tool call, distributed', ourTimes, rawTimes, '≤ 1.5 at p50, ≤ 2 at p99')];
}

async function startRaw(brokerUrl: string, mongoUrl: string) {
  const queue = 'raw.calls';
  const broker = await connect(brokerUrl, { noDelay: true });
  const publishing = await broker.createConfirmChannel();
  await publishing.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  const replying = await connect(brokerUrl, { noDelay: true });
  const replies = await replying.createChannel();
  const { queue: replyTo } = await replies.assertQueue('', { exclusive: true });
  let resolveReply: (() => void) | undefined;
  await replies.consume(replyTo, () => resolveReply?.(), { noAck: true });
  const responder = fork(fileURLToPath(new URL('raw-responder.ts', import.meta.url)), [
    brokerUrl,
    mongoUrl,
    queue,
  ]);
  await once(responder, 'message');
  return {
    async call(): Promise<number> {
      const replied = new Promise<void>((resolve) => (resolveReply = resolve));
      const startedAt = performance.now();
      publishing.publish('', queue, rawCall(), { persistent: true, mandatory: true, replyTo });
      await replied;
      return performance.now() - startedAt;
    },
    async stop(): Promise<void> {
      responder.kill();
      await Promise.all([broker.close(), replying.close()]);
    },
  };
}

/** As long as a real `tool.call`. */
function rawCall(): Buffer {
  const id = randomUUID();
  const body = {
    tool_call_id: `call_${id.replaceAll('-', '').slice(0, 22)}`,
    turn_id: id,
    conversation_id: id,
    n: 1,
    user_id: 'bench',
    tool_name: 'math.add',
    arguments: { a: 17, b: 25 },
    class: 'read',
    timeout_ms: 30_000,
    deadline: new Date().toISOString(),
    reply_to: `orchestrator.${id}`,
  };
  return Buffer.from(
    JSON.stringify({ id, type: 'tool.call', version: '1.0.0', at: new Date().toISOString(), body }),
  );
}

async function startOurs(brokerUrl: string, mongoUrl: string) {
  const worker = await startProcess('tool-worker', {
    RABBITMQ_URL: brokerUrl,
    MONGODB_URL: mongoUrl,
    TOOLSETS: 'math',
    LOG_LEVEL: 'error',
  });
  const plain = createStore({ ...systemTime(), url: mongoUrl });
  await plain.open();
  const watch = new CallWatch();
  const store = watch.observe(plain);
  const processId = `orchestrator-${randomUUID()}`;
  const bus = createRabbitmqBus({ ...systemTime(), url: brokerUrl, processId, role: 'orchestrator' });
  await bus.open();
  const gatewayBus = createRabbitmqBus({
    ...systemTime(),
    url: brokerUrl,
    processId: `gateway-${randomUUID()}`,
    role: 'gateway',
  });
  await gatewayBus.open();
  const orchestrator = await startBenchOrchestrator(store, bus, processId);
  const submitter = new Submitter(plain, gatewayBus);
  await submitter.conversation('bench_calls');
  let number = 0;
  return {
    async call(): Promise<number> {
      await submitter.run('bench_calls', ++number);
      return watch.lastMs;
    },
    async stop(): Promise<void> {
      await orchestrator.drain(1_000);
      await worker.kill('SIGTERM');
      await Promise.all([bus.close(), gatewayBus.close(), plain.close()]);
    },
  };
}

/** Clocks the store's answers: the commit of a step with calls, and the outcome that the driver reads. */
class CallWatch {
  lastMs = NaN;
  private committedAt = NaN;

  observe(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const method = (value as (...args: unknown[]) => unknown).bind(target);
        if (name === 'commitStep')
          return this.after(method, () => (this.committedAt = performance.now()), hasCalls);
        if (name === 'getOutcome')
          return this.after(method, () => (this.lastMs = performance.now() - this.committedAt), Boolean);
        return method;
      },
    });
  }

  private after(
    method: (...args: unknown[]) => unknown,
    note: () => void,
    isMeant: (result: unknown) => boolean,
  ) {
    return async (...args: unknown[]) => {
      const result = await method(...args);
      if (isMeant(result)) note();
      return result;
    };
  }
}

function hasCalls(result: unknown): boolean {
  return (result as { row: { calls: unknown[] } }).row.calls.length > 0;
}
