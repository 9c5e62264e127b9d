import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { fleetNames, inspectBroker } from '#messaging';
import { SeededRandom, VirtualClock } from '#time/testing';
import { TcpProxy, type ProxyMode } from '../../services/tcp-proxy.js';
import {
  describeWithServices,
  rabbitmqForTest,
  serviceStartTimeoutMs,
} from '../../services/test-services.js';
import { waitFor } from '../../services/wait-for.js';
import { breakAtQuestion } from './broker-questions.js';

const LONG_MS = 60_000;

/** Timers of this process that keep it alive. */
const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

describeWithServices(['rabbitmq'], 'inspectBroker', () => {
  let proxy: TcpProxy;
  let clock: VirtualClock;
  beforeEach(async () => {
    proxy = await TcpProxy.start((await rabbitmqForTest())!.url);
    clock = new VirtualClock(new SeededRandom(1));
  }, serviceStartTimeoutMs);
  afterEach(() => proxy.stop());

  it.each<[ProxyMode, RegExp]>([
    ['cut', /^RabbitMQ at .+ failed: /],
    ['half-open', /^RabbitMQ at .+ failed: no answer within 5000 ms$/],
  ])(
    'rejects when the broker dies (%s) between two questions, and leaves nothing that keeps the process',
    async (mode, text) => {
      const before = timers();
      const broken = breakAtQuestion(proxy, 3, mode);
      const inspected = inspectBroker(proxy.url, clock, fleetNames([])).catch(
        (error: unknown) => error as Error,
      );
      await broken;
      // Virtual: first the answer is given up, then the farewell.
      await clock.advance(LONG_MS);
      await clock.advance(LONG_MS);
      const error = await inspected;
      expect((error as Error).name).toBe('BusSetupError');
      expect((error as Error).message).toMatch(text);
      await waitFor(() => proxy.connections === 0, { what: 'the end of the connection' });
      await waitFor(() => timers() <= before, { what: 'the end of its heartbeat' });
    },
  );
});
