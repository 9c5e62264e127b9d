import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Message } from '#contracts';
import { createMemoryBus, createRabbitmqBus, MemoryBroker, type Bus } from '#messaging';
import { SystemClock, systemTime } from '#time';
import { describeWithServices, rabbitmqForTest } from '../../services/test-services.js';
import { waitFor } from '../../services/wait-for.js';
import { JWT_SECRET, signTestToken, startHarness, type Harness } from './gateway-harness.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type NewBus = (identity: { role: 'gateway'; processId: string }) => Bus;

/** Two gateways of one installation, and a third that hears what they tell each other. */
async function startTwo(newBus: NewBus) {
  const told: Message[] = [];
  const newGateway = async (): Promise<Harness> => {
    const processId = `gateway-${randomUUID()}`;
    const bus = newBus({ role: 'gateway', processId });
    await bus.open();
    const gateway = await startHarness({
      config: { auth: { kind: 'jwt', secret: JWT_SECRET } },
      limits: { messagesPerMinute: 3 },
      alter: () => ({ bus, processId }),
    });
    closers.push(async () => {
      await gateway.stop();
      await bus.close();
    });
    return gateway;
  };
  const listener = { role: 'gateway' as const, processId: `gateway-${randomUUID()}` };
  const ear = newBus(listener);
  await ear.open();
  closers.push(() => ear.close());
  await ear.onControl(listener, (message) => {
    if (message.type === 'limits.counted') told.push(message);
  });
  const [first, second] = [await newGateway(), await newGateway()];
  const create = async ({ url }: Harness, user: string): Promise<number> => {
    const authorization = `Bearer ${await signTestToken(user)}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/conversations`, { method: 'POST', headers, body: '{}' });
    await answer.arrayBuffer();
    return answer.status;
  };
  return { first, second, told, create };
}

async function provesOneLimit(newBus: NewBus): Promise<void> {
  const { first, second, told, create } = await startTwo(newBus);
  for (let i = 0; i < 3; i++) expect(await create(first, 'ann')).toBe(201);
  expect(await create(first, 'ann')).toBe(429);
  await waitFor(() => told.length > 0, { what: 'what the first gateway counted' });
  let letIn = 0;
  const isRefused = async () => {
    const status = await create(second, 'ann');
    if (status === 201) letIn++;
    return status === 429;
  };
  await waitFor(isRefused, { what: 'a refusal by the second gateway' });
  // It would let in three if it counted for itself.
  expect(letIn).toBeLessThan(3);
  expect(await create(second, 'bob')).toBe(201);
}

describe('two gateways on one broker', () => {
  it('count the messages of a user together', async () => {
    const broker = new MemoryBroker(new SystemClock());
    await provesOneLimit(() => createMemoryBus({ broker, ...systemTime() }));
  });
});

describeWithServices(['rabbitmq'], 'two gateways on RabbitMQ', () => {
  it('count the messages of a user together', async () => {
    const { url } = (await rabbitmqForTest())!;
    await provesOneLimit((identity) => createRabbitmqBus({ ...systemTime(), url, ...identity }));
  });
});
