import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createRabbitmqBus, type Bus, type Delivery, type PublishOutcome } from '#messaging';
import { systemTime } from '#time';
import { probe, token, toolCall, turnAdvance } from '../../../libs/messaging/testing/sample-messages.js';
import { startRabbitmq, type RabbitmqService } from '../../services/rabbitmq.js';
import { describeWithServices } from '../../services/test-services.js';
import { inTime, waitFor } from '../../services/wait-for.js';
import { recordLog } from './recorded-log.js';

describeWithServices(['private-rabbitmq'], 'the RabbitMQ bus during an outage of the broker', () => {
  let broker: RabbitmqService;
  const buses: Bus[] = [];
  const log = recordLog();

  beforeAll(async () => {
    broker = await startRabbitmq();
  }, 120_000);
  afterAll(() => broker.stop(), 60_000);
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
  });

  async function start(): Promise<Bus> {
    const url = new URL(broker.url());
    const bus = createRabbitmqBus({
      ...systemTime(),
      url: url.href,
      processId: 'orchestrator-1',
      role: 'orchestrator',
      logger: log,
    });
    buses.push(bus);
    await bus.open();
    return bus;
  }

  it('answers in bounded time under a memory alarm, acknowledges and binds meanwhile, and recovers', async () => {
    const bus = await start();
    const release: (() => void)[] = [];
    await bus.consume('tools.math', { prefetch: 1 }, async () => {
      await new Promise<void>((resolve) => release.push(resolve));
      return 'ack';
    });
    expect(await bus.publish('tools.math', toolCall())).toBe('confirmed');
    expect(await bus.publish('tools.math', toolCall())).toBe('confirmed');
    await waitFor(() => release.length === 1, { what: 'the first is in hand' });
    await broker.control('set_vm_memory_high_watermark', 'absolute', '1');
    // The broker raises the alarm a moment after it has been told.
    let first: PublishOutcome = 'confirmed';
    const isHeldUp = async () => {
      first = await inTime(bus.publish('turns', turnAdvance()), { what: 'an answer under the alarm' });
      return first !== 'confirmed';
    };
    await waitFor(isHeldUp, { what: 'a message that is not confirmed' });
    // The next ones are refused, without the wait for a confirm.
    expect(await inTime(bus.publish('turns', turnAdvance()), { what: 'the refusal' })).toBe('refused');
    expect([bus.isConnected(), bus.takesMessages()]).toEqual([true, false]);
    expect(await bus.send('worker.all', probe())).toBe('unknown');
    release[0]!();
    await waitFor(() => release.length === 2, { what: 'the acknowledgement is read, the second delivered' });
    bus.emit(token('conversation-1', 0));
    await bus.follow('conversation-1');
    await broker.control('set_vm_memory_high_watermark', '0.9');
    const isBack = async () => (await bus.publish('turns', turnAdvance())) === 'confirmed';
    await waitFor(isBack, { what: 'it confirms again', timeoutMs: 20_000 });
    expect(bus.takesMessages()).toBe(true);
    release[1]!();
  }, 60_000);

  it('answers within 5 s and closes in bounded time while the broker is frozen', async () => {
    const bus = await start();
    expect(bus.takesMessages()).toBe(true);
    broker.freeze();
    try {
      const [outcome] = await Promise.all([
        inTime(bus.publish('turns', turnAdvance()), { what: 'an answer without the broker' }),
        expect(bus.inspect('turns')).rejects.toThrow('no answer within 5000 ms'),
      ]);
      expect(outcome).toBe('unknown');
      expect([bus.isConnected(), bus.takesMessages()]).toEqual([true, false]);
      const waiting = bus.publish('turns', turnAdvance());
      await inTime(bus.close(), { what: 'the close' });
      expect(await waiting).toBe('unknown');
    } finally {
      broker.thaw();
    }
  }, 60_000);

  // Last: RabbitMQ 3.10 saves which queues exist twice a second, so the killed ones must be older.
  it('delivers and confirms again after the broker was killed and restarted', async () => {
    const bus = await start();
    const deliveries: Delivery[] = [];
    await bus.consume('tools.math', { prefetch: 1 }, async (delivery) => {
      deliveries.push(delivery);
      return deliveries.length === 1 ? new Promise(() => undefined) : 'ack';
    });
    const message = toolCall();
    expect(await bus.publish('tools.math', message)).toBe('confirmed');
    await waitFor(() => deliveries.length === 1, { what: 'it is in hand' });
    const linesBefore = log.lines.length;
    await broker.kill();
    await waitFor(() => !bus.isConnected(), { what: 'the loss is noticed' });
    expect(await bus.publish('turns', turnAdvance())).toBe('unknown');
    // Each of its connections notices for itself.
    await waitFor(() => deliveries[0]!.lost.aborted, { what: 'the delivery being lost' });
    await broker.restart();
    await waitFor(() => bus.isConnected(), { what: 'it is connected again', timeoutMs: 20_000 });
    await waitFor(() => deliveries.length === 2, { what: 'it is delivered again', timeoutMs: 20_000 });
    expect(deliveries[1]!.message).toEqual(message);
    const isBack = async () => (await bus.publish('turns', turnAdvance())) === 'confirmed';
    await waitFor(isBack, { what: 'it confirms again', timeoutMs: 20_000 });
    // Tried several times a second, told once for each connection.
    const refusals = log.lines.slice(linesBefore).filter(({ reason }) => /ECONNREFUSED/.test(String(reason)));
    expect(refusals.map(({ connection }) => connection).sort()).toEqual(
      ['consuming', 'events', 'publishing'].map((purpose) => `orchestrator-1 ${purpose}`),
    );
    expect(JSON.stringify(log.lines)).not.toContain('guest');
  }, 120_000);
});
