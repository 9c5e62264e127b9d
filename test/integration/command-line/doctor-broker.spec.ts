import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { beforeAll, expect, it } from '@jest/globals';
import { connect } from 'amqplib';
import { createRabbitmqBus } from '#messaging';
import { systemTime } from '#time';
import { groupUserUrl } from '../../services/group-user.js';
import { TcpProxy } from '../../services/tcp-proxy.js';
import {
  describeWithServices,
  rabbitmqForTest,
  serviceStartTimeoutMs,
} from '../../services/test-services.js';
import { breakAtQuestion } from '../messaging/broker-questions.js';
import { runDoctor } from './run-command.js';

/** There is no store, which is not what these are about. */
const doctor = async (environment: Record<string, string>) => {
  const { found, ...rest } = await runDoctor({ DATA_DIR: '/nonexistent', ...environment });
  return { ...rest, broker: found.filter(({ subject }) => subject === 'broker') };
};

it('switchyard doctor finds a broker that dies while it is asked', async () => {
  const dying = createServer((socket) =>
    socket.on('error', () => undefined).once('data', () => socket.destroy()),
  );
  dying.listen(0, '127.0.0.1');
  await once(dying, 'listening');
  const { port } = dying.address() as AddressInfo;
  const { broker, code } = await doctor({ RABBITMQ_URL: `amqp://user:s3cret@127.0.0.1:${port}` });
  dying.close();
  expect([code, broker]).toMatchObject([
    1,
    [{ subject: 'broker', level: 'error', mend: expect.any(String) }],
  ]);
});

describeWithServices(['rabbitmq'], 'switchyard doctor and RabbitMQ', () => {
  let url = '';
  let broker: NonNullable<Awaited<ReturnType<typeof rabbitmqForTest>>>;
  beforeAll(async () => {
    broker = (await rabbitmqForTest())!;
    url = broker.url;
  }, serviceStartTimeoutMs);

  const withUrl = (change: (parsed: URL) => void) => {
    const parsed = new URL(url);
    change(parsed);
    return { RABBITMQ_URL: parsed.href };
  };

  it('finds that nothing is declared yet, and declares nothing; then that a queue is absent', async () => {
    for (let time = 0; time < 2; time++) {
      const { broker } = await doctor({ RABBITMQ_URL: url });
      expect(broker.map(({ text }) => text)).toEqual(
        expect.arrayContaining([
          'the exchange switchyard.commands does not exist',
          'the queue turns does not exist',
        ]),
      );
    }
    const bus = createRabbitmqBus({
      ...systemTime(),
      url,
      role: 'orchestrator',
      processId: 'orchestrator-1',
    });
    await bus.open();
    expect((await doctor({ RABBITMQ_URL: url })).broker).toMatchObject([{ level: 'ok' }]);
    expect((await doctor({ RABBITMQ_URL: url, TOOLSETS: 'web' })).broker).toMatchObject([
      { level: 'error', text: 'the queue tools.web does not exist' },
    ]);
    await bus.close();
    const connection = await connect(url);
    const channel = await connection.createChannel();
    await channel.deleteQueue('results');
    await connection.close();
    expect((await doctor({ RABBITMQ_URL: url })).broker).toMatchObject([
      {
        level: 'error',
        text: 'the queue results does not exist',
        mend: expect.stringContaining('Start a process'),
      },
    ]);
  });

  it('asks for what a worker of a group needs, with nothing but the rights of the group', async () => {
    const group = { name: 'lab', toolsets: ['web'] };
    const { href, username } = await groupUserUrl(broker, group, { name: 'doctor', password: 's3cret' });
    const own = { RABBITMQ_URL: href };
    const ask = () => runDoctor({ ...own, WORKER_GROUP: 'lab', TOOLSETS: 'web' });
    const about = async (subject: string) =>
      (await ask()).found.filter((checked) => checked.subject === subject);
    expect(await about('broker')).toMatchObject([
      { level: 'error', text: 'the exchange switchyard.ledger.lab does not exist' },
      { level: 'error', text: 'the exchange switchyard.control.lab does not exist' },
      {
        level: 'error',
        text: 'the queue ledger.lab.calls does not exist',
        mend: expect.stringContaining('CONFIG'),
      },
      { level: 'error', text: 'the queue tools.web does not exist' },
    ]);
    const bus = createRabbitmqBus({
      ...{ ...systemTime(), url, groups: [group] },
      ...{ role: 'orchestrator', processId: 'orchestrator-2' },
    });
    await bus.open();
    await bus.onControl({ role: 'orchestrator', processId: 'orchestrator-2' }, () => undefined);
    const consumer = await bus.consume('ledger.lab.calls', { prefetch: 1 }, () => Promise.resolve('ack'));
    const { found, code } = await ask();
    expect([code, found]).toMatchObject([
      0,
      [
        { subject: 'configuration', level: 'ok' },
        { subject: 'broker', text: expect.stringContaining('1 orchestrator serves group lab') },
        { subject: 'store', text: 'a worker of a group has none: orchestrators keep it' },
        { subject: 'tools', level: 'ok' },
        { subject: 'MCP servers', level: 'ok' },
      ],
    ]);
    await consumer.stop(0);
    expect(await about('broker')).toMatchObject([
      { level: 'error', text: 'no orchestrator serves the ledger of group lab' },
    ]);
    await bus.close();
    await broker.management.request('DELETE', `/api/users/${username}`);
  });

  it('says that the broker died between two questions, and ends with 1', async () => {
    const proxy = await TcpProxy.start(url);
    const broken = breakAtQuestion(proxy, 2, 'cut');
    const { broker, code, text } = await doctor({ RABBITMQ_URL: proxy.url });
    await broken;
    expect([code, broker]).toMatchObject([
      1,
      [{ level: 'error', text: expect.stringMatching(/^RabbitMQ at .+ failed: /), mend: expect.any(String) }],
    ]);
    expect(text).not.toContain(new URL(url).password);
    await proxy.stop();
  });

  it.each([
    [
      'a wrong password',
      (parsed: URL) => void (parsed.password = 's3cret'),
      /refused the user name or password/,
    ],
    [
      'an unknown virtual host',
      (parsed: URL) => void (parsed.pathname = '/nowhere'),
      /refused the virtual host|lacks permission/,
    ],
    ['a port where nothing listens', (parsed: URL) => void (parsed.port = '9'), /is not reachable/],
  ])('finds %s', async (_what, change, text) => {
    const { broker, text: printed } = await doctor(withUrl(change));
    expect(broker).toMatchObject([
      { level: 'error', text: expect.stringMatching(text), mend: expect.any(String) },
    ]);
    expect(printed).not.toContain('s3cret');
  });
});
