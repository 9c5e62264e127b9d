import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { controlKey, type ConversationEvent, type Role } from '#contracts';
import {
  BusSetupError,
  createRabbitmqBus,
  deadLetterQueue,
  exchanges,
  type Bus,
  type Delivery,
} from '#messaging';
import { systemTime } from '#time';
import { probe, token, toolCall, turnAdvance } from '../../../libs/messaging/testing/sample-messages.js';
import { describeWithServices } from '../../services/test-services.js';
import { waitFor } from '../../services/wait-for.js';
import { recordLog, type RecordedLog } from './recorded-log.js';
import { createRabbitmqHarness, type RabbitmqHarness } from './rabbitmq-harness.js';

describeWithServices(['rabbitmq'], 'the RabbitMQ bus under faults', () => {
  let harness: RabbitmqHarness;
  let log: RecordedLog;
  let queue: string;
  const buses: Bus[] = [];

  beforeAll(async () => {
    log = recordLog();
    harness = await createRabbitmqHarness(log);
  }, 120_000);
  afterAll(() => harness.close());
  beforeEach(() => {
    log.lines.length = 0;
    queue = `tools.t_${randomUUID().slice(0, 8)}`;
  });
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
  });

  async function start(role: Role = 'orchestrator', processId = `${role}-${randomUUID()}`) {
    const bus = harness.createBus({ role, processId });
    buses.push(bus);
    await bus.open();
    return { bus, role, processId };
  }

  it('a worker of a group that no orchestrator knows logs what is wrong with its group', async () => {
    const { bus, processId } = await start('worker', `worker-lab--${randomUUID()}`);
    await bus.onControl({ role: 'worker', processId }, () => undefined);
    const failed = log.lines.find(({ message }) => message === 'channel setup failed');
    expect(failed?.reason).toMatch(
      /no exchange 'switchyard\.control\.lab'.*: the group lab is not in CONFIG of the orchestrators, or these credentials belong to another group$/,
    );
  });

  /**
   * From the broker's side, all three connections of the process. Resolves when they and their queues are gone: what
   * is sent from then on reaches nobody, or the process on a new connection.
   */
  async function closeConnectionsOf(processId: string): Promise<void> {
    const { management, vhost } = harness.broker;
    const isOurs = ({ client_properties }: { client_properties?: Record<string, unknown> }) =>
      String(client_properties?.connection_name).startsWith(processId);
    const ours = await waitFor(
      async () => {
        const found = (await management.listConnections(vhost)).filter(isOurs);
        return found.length === 3 ? found : undefined;
      },
      { what: 'the broker lists three connections' },
    );
    const close = ({ name }: { name: string }) =>
      management.request('DELETE', `/api/connections/${encodeURIComponent(name)}`);
    await Promise.all(ours.map(close));
    const isOld = ({ name }: { name: string }) => ours.some((old) => old.name === name);
    await waitFor(async () => !(await management.listConnections(vhost)).some(isOld), {
      what: 'the broker lists none of them',
    });
  }

  it('loses nothing and acknowledges nothing wrongly when connections are cut while thousands of messages flow', async () => {
    const [publisher, consumer] = [await start(), await start('worker')];
    const completed = new Set<string>();
    let lostDeliveries = 0;
    let deliveries = 0;
    let endCutting = (): void => {};
    const cuttingEnded = new Promise<void>((resolve) => (endCutting = resolve));
    await consumer.bus.consume(queue, { prefetch: 50 }, async ({ message, lost }) => {
      const isCut = new Promise((resolve) => lost.addEventListener('abort', resolve));
      // Some are in hand whenever a cut comes.
      const number = deliveries++;
      if (number % 100 === 0) await Promise.race([isCut, cuttingEnded]);
      // The others are settled in another order than they came in.
      else for (let round = number % 5; round > 0; round--) await new Promise(setImmediate);
      if (lost.aborted) lostDeliveries++;
      else completed.add(message.id);
      return 'ack';
    });
    const confirmed: string[] = [];
    const outcomes = new Map<string, number>();
    let isPublishing = true;
    const cutting = (async () => {
      for (let cut = 0; cut < 3; cut++) {
        await Promise.all([publisher, consumer].map(({ processId }) => closeConnectionsOf(processId)));
        await waitFor(() => publisher.bus.isConnected() && consumer.bus.isConnected(), {
          what: 'both are back',
        });
      }
      isPublishing = false;
      endCutting();
    })();
    while (isPublishing || confirmed.length < 3_000) {
      const batch = Array.from({ length: 20 }, toolCall);
      const results = await Promise.all(batch.map((message) => publisher.bus.publish(queue, message)));
      results.forEach((outcome, index) => {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (outcome === 'confirmed') confirmed.push(batch[index]!.id);
      });
      // A bus that is away answers at once: without a pause this loop would hold the event loop for ever.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await cutting;
    const isDone = () => confirmed.every((id) => completed.has(id));
    await waitFor(isDone, { what: 'every confirmed message is completed', timeoutMs: 40_000 });
    expect(outcomes.get('unknown')).toBeGreaterThan(0);
    expect(lostDeliveries).toBeGreaterThan(0);
    const isEmpty = async () =>
      JSON.stringify(await consumer.bus.inspect(queue)) === '{"consumers":1,"messages":0}';
    await waitFor(isEmpty, { what: 'the queue is empty' });
    const { bus } = await start();
    expect(await bus.inspect('dead-letters')).toMatchObject({ messages: 0 });
  }, 90_000);

  it('does not settle on a new channel a message of an old one', async () => {
    const { bus, processId } = await start('worker');
    const deliveries: Delivery[] = [];
    const release: (() => void)[] = [];
    const consumer = await bus.consume(queue, { prefetch: 1 }, async (delivery) => {
      deliveries.push(delivery);
      await new Promise<void>((resolve) => release.push(resolve));
      return 'ack';
    });
    const message = toolCall();
    await bus.publish(queue, message);
    await waitFor(() => deliveries.length === 1, { what: 'it is in hand' });
    await closeConnectionsOf(processId);
    await waitFor(() => deliveries.length === 2, { what: 'it is in hand again' });
    expect(deliveries.map(({ lost }) => lost.aborted)).toEqual([true, false]);
    // Both deliveries have tag 1, each on its channel.
    release[0]!();
    await consumer.stop(0);
    await bus.consume(queue, { prefetch: 1 }, async (delivery) => {
      deliveries.push(delivery);
      return 'ack';
    });
    await waitFor(() => deliveries.length === 3, { what: 'it is delivered a third time' });
    expect(deliveries[2]!.message.id).toBe(message.id);
  });

  it('rebuilds the consumer of a deleted queue alone, with its queue', async () => {
    const { bus } = await start('worker');
    const other = `${queue}_other`;
    const held: Delivery[] = [];
    await bus.consume(other, { prefetch: 1 }, async (delivery) => {
      held.push(delivery);
      return new Promise(() => undefined);
    });
    const received: string[] = [];
    await bus.consume(queue, { prefetch: 1 }, async ({ message }) => {
      received.push(message.id);
      return 'ack';
    });
    await bus.publish(other, toolCall());
    await waitFor(() => held.length === 1, { what: 'the other is in hand' });
    await harness.broker.management.deleteQueue(harness.broker.vhost, queue);
    await waitFor(async () => (await bus.publish(queue, toolCall())) === 'confirmed', {
      what: 'the queue is back',
    });
    await waitFor(() => received.length > 0, { what: 'its consumer is back' });
    expect(held[0]!.lost.aborted).toBe(false);
    expect(bus.isConnected()).toBe(true);
  });

  it('works with a queue that has other arguments, and warns', async () => {
    await harness.channel.assertQueue(queue, {
      durable: true,
      arguments: { 'x-queue-type': 'quorum', 'x-max-length': 7 },
    });
    const { bus } = await start('worker');
    const received: string[] = [];
    await bus.consume(queue, { prefetch: 1 }, async ({ message }) => {
      received.push(message.id);
      return 'ack';
    });
    expect(await bus.publish(queue, toolCall())).toBe('confirmed');
    await waitFor(() => received.length === 1, { what: 'it is received' });
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'exists with other arguments, used unchanged',
        name: queue,
      }),
    );
  });

  it('declares dead-letters with a limit of deliveries that is never reached', async () => {
    await start('worker');
    const { management, vhost } = harness.broker;
    const declared = (await management.listQueues(vhost)).find(({ name }) => name === deadLetterQueue.name);
    expect(declared!.arguments).toEqual({ 'x-queue-type': 'quorum', 'x-delivery-limit': 2_147_483_647 });
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('keeps dead-letters as an earlier version declared it, and warns', async () => {
    const older = await createRabbitmqHarness(log);
    const { name } = deadLetterQueue;
    await older.channel.assertQueue(name, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    const bus = older.createBus({ role: 'orchestrator', processId: `orchestrator-${randomUUID()}` });
    buses.push(bus);
    await bus.open();
    const dead: string[] = [];
    await bus.consumeDead(async ({ messageId }) => void dead.push(messageId));
    await older.publishBytes('turns', Buffer.from('not a message'), 'm1');
    await bus.consume('turns', { prefetch: 1 }, async () => 'ack');
    await waitFor(() => dead.includes('m1'), { what: 'the letter is delivered' });
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        name,
        message: 'exists with other arguments, used unchanged',
      }),
    );
    await bus.close();
    await older.close();
  });

  it('recreates a deleted exchange', async () => {
    const { bus } = await start('worker');
    await bus.consume(queue, { prefetch: 1 }, async () => 'ack');
    await harness.channel.deleteExchange(exchanges.commands);
    // 404 closes the channel with everything that waits on it.
    expect(await bus.publish('turns', turnAdvance())).toBe('unknown');
    const isBack = async () => (await bus.publish('turns', turnAdvance())) === 'confirmed';
    await waitFor(isBack, { what: 'the exchange is back' });
  });

  it('lets many processes declare everything in an empty vhost at once', async () => {
    const fresh = await createRabbitmqHarness(log);
    const many = Array.from({ length: 10 }, (_, index) =>
      fresh.createBus({ role: 'worker', processId: `worker-${index}` }),
    );
    buses.push(...many);
    await Promise.all(many.map((bus) => bus.open()));
    expect(await many[0]!.publish('turns', turnAdvance())).toBe('confirmed');
    await fresh.close();
  });

  it('receives control messages again after its connections were cut', async () => {
    const [sender, hearer] = [await start(), await start('worker')];
    const heard: string[] = [];
    await hearer.bus.onControl(hearer, ({ id }) => heard.push(id));
    await closeConnectionsOf(hearer.processId);
    const message = probe();
    const isSent = async () => (await sender.bus.send(controlKey(hearer.processId), message)) === 'confirmed';
    await waitFor(() => hearer.bus.isConnected(), { what: 'it is back' });
    await waitFor(isSent, { what: 'it can be reached' });
    await waitFor(() => heard.includes(message.id), { what: 'it hears' });
    expect(await sender.bus.send('worker.all', message)).toBe('confirmed');
    await waitFor(() => heard.length === 2, { what: 'it hears what goes to all, once' });
  });

  it('resumes events after its connections were cut and reports the gap', async () => {
    const [emitter, gateway] = [await start(), await start('gateway')];
    const told: (ConversationEvent | 'gap')[] = [];
    gateway.bus.onEvent({ event: (event) => told.push(event), gap: () => told.push('gap') });
    const [id, left] = [randomUUID(), randomUUID()];
    await gateway.bus.follow(id);
    await gateway.bus.follow(left);
    expect(told).toEqual([]);
    await closeConnectionsOf(gateway.processId);
    // It may be back before anybody looks.
    await waitFor(() => !gateway.bus.isConnected() || told.includes('gap'), { what: 'it is cut off' });
    gateway.bus.unfollow(left);
    const fresh = randomUUID();
    // Resolves with the connection.
    await gateway.bus.follow(fresh);
    await waitFor(() => told.includes('gap'), { what: 'the gap is told' });
    for (const conversation of [id, fresh, left]) emitter.bus.emit(token(conversation, 7));
    await waitFor(() => told.length === 3, { what: 'both events arrive' });
    expect(told).toMatchObject(['gap', { conversation_id: id }, { conversation_id: fresh }]);
    await waitFor(() => gateway.bus.connectedForMs() > 0, { what: 'its other connections are back' });
  });

  it('drops anything that is not an event', async () => {
    const { bus } = await start('gateway');
    const events: ConversationEvent[] = [];
    bus.onEvent({ event: (event) => events.push(event), gap: () => undefined });
    const id = randomUUID();
    await bus.follow(id);
    for (const exchange of exchanges.events) {
      harness.channel.publish(exchange, id, Buffer.from('{"type":"token"'));
      harness.channel.publish(exchange, id, Buffer.from('['.repeat(50_000) + ']'.repeat(50_000)));
      harness.channel.publish(exchange, id, Buffer.from('{"type":"unheard_of"}'));
    }
    await harness.channel.waitForConfirms();
    bus.emit(token(id, 1));
    await waitFor(() => events.length > 0, { what: 'the event arrives' });
    expect(events).toMatchObject([{ type: 'token', offset: 1 }]);
  });

  describe('that begin at the start', () => {
    const open = async (change: (url: URL) => void): Promise<unknown> => {
      const url = new URL(harness.broker.url);
      url.username ||= 'guest';
      url.password = 'not-to-be-seen';
      change(url);
      const bus = createRabbitmqBus({
        ...systemTime(),
        url: url.href,
        processId: 'worker-1',
        role: 'worker',
        logger: log,
      });
      return bus.open().catch((error: unknown) => error);
    };

    it.each([
      ['a wrong password', () => undefined, /refused the user name or password/],
      ['a closed port', (url: URL) => (url.port = '1'), /not reachable/],
      [
        'another protocol',
        (url: URL) => (url.port = new URL(harness.broker.management.url).port),
        /RabbitMQ at/,
      ],
    ])('reports %s without the password', async (_name, change, expected) => {
      const error = await open(change);
      expect(error).toBeInstanceOf(BusSetupError);
      expect(String(error)).toMatch(expected);
      expect(String(error) + JSON.stringify(log.lines)).not.toContain('not-to-be-seen');
    });

    it('reports a virtual host that does not exist', async () => {
      const url = new URL(harness.broker.url);
      url.pathname = '/nowhere';
      const bus = createRabbitmqBus({
        ...systemTime(),
        url: url.href,
        processId: 'worker-1',
        role: 'worker',
      });
      await expect(bus.open()).rejects.toThrow(/refused the virtual host/);
    });

    it('reports an invalid URL', () => {
      const create = () =>
        createRabbitmqBus({
          ...systemTime(),
          url: 'amqp//guest:secret@x',
          processId: 'worker-1',
          role: 'worker',
        });
      expect(create).toThrow(BusSetupError);
      expect(create).not.toThrow(/secret/);
    });
  });
});
