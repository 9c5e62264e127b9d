import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connect, type ChannelModel } from 'amqplib';
import mongoose from 'mongoose';
import { startMongo, type MongoService } from './mongo.js';
import { startRabbitmq, type RabbitmqService } from './rabbitmq.js';
import { planServices } from './services.js';
import {
  describeWithServices,
  mongoForTest,
  rabbitmqForTest,
  serviceStartTimeoutMs,
} from './test-services.js';
import { waitFor } from './wait-for.js';

describe('the search for services', () => {
  test('an explicit URL comes first', () => {
    const env = {
      TEST_RABBITMQ_URL: 'amqp://a',
      TEST_RABBITMQ_MANAGEMENT_URL: 'http://a',
      TEST_MONGODB_URL: 'mongodb://a',
    };
    const plans = planServices(env);
    expect(plans.rabbitmq).toEqual({ source: 'url', detail: 'amqp://a', managementUrl: 'http://a' });
    expect(plans.mongo).toEqual({ source: 'url', detail: 'mongodb://a' });
  });

  test('a broker URL without its management URL is a mistake, not a skip', () => {
    expect(() => planServices({ TEST_RABBITMQ_URL: 'amqp://a' })).toThrow('belong together');
  });

  test('USE_DOCKER=1 without the package is a mistake, and no local program takes its place', () => {
    expect(() => planServices({ USE_DOCKER: '1' })).toThrow('npm install --no-save testcontainers@');
  });

  test('SWITCHYARD_TEST_SERVICES=0 hides everything', () => {
    const plans = Object.values(planServices({ SWITCHYARD_TEST_SERVICES: '0' }));
    expect(new Set(plans.map(({ source }) => source))).toEqual(new Set(['skipped']));
  });
});

describeWithServices(['rabbitmq'], 'a vhost of the shared broker', () => {
  const opened: ChannelModel[] = [];

  async function open(url: string): Promise<ChannelModel> {
    const connection = await connect(url);
    connection.on('error', () => {});
    opened.push(connection);
    return connection;
  }

  afterAll(() => Promise.allSettled(opened.map((connection) => connection.close())));

  test(
    'does not see the queues of another one',
    async () => {
      const [first, second] = [await rabbitmqForTest(), await rabbitmqForTest()];
      const channel = await (await open(first!.url)).createChannel();
      await channel.assertQueue('here');
      expect((await first!.management.listQueues(first!.vhost)).map(({ name }) => name)).toEqual(['here']);
      expect(await second!.management.listQueues(second!.vhost)).toEqual([]);
      await first!.management.deleteQueue(first!.vhost, 'here');
      expect(await first!.management.listQueues(first!.vhost)).toEqual([]);
    },
    serviceStartTimeoutMs,
  );

  test('can lose all its connections by force, and only its own', async () => {
    const [first, second] = [await rabbitmqForTest(), await rabbitmqForTest()];
    const [victim, bystander] = [await open(first!.url), await open(second!.url)];
    // amqplib reports a forced close as `close` with the reason, not as `error`.
    const reasons: unknown[] = [];
    victim.on('close', (reason: unknown) => reasons.push(reason));
    const closing = () => first!.management.closeConnections(first!.vhost);
    expect(await waitFor(closing, { what: 'the broker listing the connection' })).toBe(1);
    await waitFor(() => reasons.length > 0, { what: 'the victim noticing' });
    expect(String(reasons[0])).toContain('CONNECTION_FORCED');
    await bystander.createChannel();
  });

  test('can have a queue purged', async () => {
    const { url, vhost, management } = (await rabbitmqForTest())!;
    const channel = await (await open(url)).createConfirmChannel();
    await channel.assertQueue('full', { arguments: { 'x-queue-type': 'quorum' } });
    channel.sendToQueue('full', Buffer.from('x'));
    await channel.waitForConfirms();
    await management.purgeQueue(vhost, 'full');
    expect((await channel.checkQueue('full')).messageCount).toBe(0);
  });
});

describeWithServices(['private-rabbitmq'], 'a private broker', () => {
  let broker: RabbitmqService;

  beforeAll(async () => {
    broker = await startRabbitmq();
  }, serviceStartTimeoutMs);
  afterAll(() => broker?.stop());

  test(
    'keeps a confirmed persistent message over SIGKILL and restart',
    async () => {
      await publishConfirmed(broker.url(), 'durable', 'still here');
      await broker.queueOnDisk('/', 'durable');
      await broker.kill();
      await expect(connect(broker.url())).rejects.toThrow('ECONNREFUSED');
      await broker.restart();
      const connection = await connect(broker.url());
      const channel = await connection.createChannel();
      const message = await waitFor(async () => (await channel.get('durable')) || undefined, {
        what: 'the message being there',
      });
      expect(message.content.toString()).toBe('still here');
      await connection.close();
    },
    2 * serviceStartTimeoutMs,
  );

  test('serves metrics, and takes rabbitmqctl commands', async () => {
    expect(await (await fetch(broker.prometheusUrl)).text()).toContain('rabbitmq_connections');
    expect(await broker.control('list_vhosts')).toContain('/');
  });
});

describeWithServices(['mongo'], 'a database of the shared MongoDB server', () => {
  test(
    'refuses a second document with the same unique key (E11000), and is not shared',
    async () => {
      const [first, second] = [(await mongoForTest())!, (await mongoForTest())!];
      const connection = await mongoose.createConnection(first.url).asPromise();
      const turns = connection.collection('turns');
      await turns.createIndex({ conversation_id: 1, number: 1 }, { unique: true });
      await turns.insertOne({ conversation_id: 'c', number: 1 });
      await expect(turns.insertOne({ conversation_id: 'c', number: 1 })).rejects.toMatchObject({
        code: 11000,
      });
      const other = connection.useDb(second.database).collection('turns');
      expect(await other.countDocuments()).toBe(0);
      await connection.close();
    },
    serviceStartTimeoutMs,
  );
});

describeWithServices(['private-mongo'], 'a private MongoDB server in file mode', () => {
  let server: MongoService;

  beforeAll(async () => {
    server = await startMongo({ file: true });
  }, serviceStartTimeoutMs);
  afterAll(() => server?.stop());

  test('keeps every acknowledged insert, and its unique index, over SIGKILL in the middle', async () => {
    const acknowledged = await insertUntilKilled(server);
    await server.restart();
    const connection = await mongoose.createConnection(server.url('crash')).asPromise();
    const collection = connection.collection<{ _id: string; number: number }>('rows');
    const found = new Set((await collection.find().toArray()).map(({ _id }) => _id));
    expect(acknowledged.length).toBeGreaterThan(50);
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
    await expect(collection.insertOne({ _id: 'twin', number: 1 })).rejects.toMatchObject({ code: 11000 });
    await connection.close();
  }, 60_000);
});

async function publishConfirmed(url: string, queue: string, content: string): Promise<void> {
  const connection = await connect(url);
  connection.on('error', () => {});
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  channel.sendToQueue(queue, Buffer.from(content), { persistent: true });
  await channel.waitForConfirms();
}

/** Four writers insert until the server is killed; returns the ids that were acknowledged. */
async function insertUntilKilled(server: MongoService): Promise<string[]> {
  const connection = await mongoose
    .createConnection(server.url('crash'), { serverSelectionTimeoutMS: 10_000, retryWrites: false })
    .asPromise();
  const collection = connection.collection<{ _id: string; number: number }>('rows');
  await collection.createIndex({ number: 1 }, { unique: true });
  const acknowledged: string[] = [];
  let next = 0;
  const write = async () => {
    for (;;) {
      const number = ++next;
      await collection.insertOne({ _id: `row-${number}`, number });
      acknowledged.push(`row-${number}`);
    }
  };
  const writers = Promise.allSettled([write(), write(), write(), write()]);
  await waitFor(() => acknowledged.length > 100, { what: '100 acknowledged inserts', intervalMs: 1 });
  await server.kill();
  await writers;
  await connection.close(true);
  return acknowledged;
}
