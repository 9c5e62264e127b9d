import { beforeAll, expect, it } from '@jest/globals';
import { startRabbitmq, type RabbitmqService } from '../services/rabbitmq.js';
import { describeWithServices, mongoForTest, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { endCluster } from '../e2e/end-cluster.js';
import { CLUSTER_START_MS, type Cluster } from '../e2e/cluster.js';
import { Gates } from '../e2e/gates.js';
import { removeFolders } from '../e2e/standalone-process.js';
import { Attempted, expectReady } from './meanwhile.js';
import { startOutageCluster } from './outage-cluster.js';
import { Workload } from './workload.js';

const DURABLE_QUEUES = [
  'turns',
  'results',
  'dead-letters',
  'tools.acts',
  'tools.repeats',
  'tools.line',
  'tools.math',
];
const TEST_MS = 150_000;

describeWithServices(['private-rabbitmq', 'mongo'], 'the broker during turns', () => {
  let rabbitmq: RabbitmqService;
  let gates: Gates;
  let cluster: Cluster;

  beforeAll(async () => {
    const mongo = mongoForTest();
    [rabbitmq, gates] = await Promise.all([startRabbitmq(), Gates.create()]);
    const services = { rabbitmqUrl: rabbitmq.url(), mongodbUrl: (await mongo)!.url };
    cluster = await startOutageCluster(gates, { services });
    await Promise.all(DURABLE_QUEUES.map((queue) => rabbitmq.queueOnDisk('/', queue)));
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [rabbitmq?.stop(), gates?.remove(), removeFolders()],
  );

  it(
    'killed and restarted: no process is ready, messages are accepted, a Stop works, and it all ends after the restart',
    async () => {
      const workload = await Workload.start(cluster, gates, 'killed');
      const { ann, bob } = workload;
      const stopped = await ann.send('count to 2000');
      await rabbitmq.kill();
      bob.close();
      await expectReady(cluster.all, false);
      workload.add(await new Attempted(ann).expectAccepted());
      expect(await ann.request('stop', { turn_id: stopped.turn_id })).toEqual({ may_be_running: [] });
      await workload.bringBack();
      workload.openGates();
      await rabbitmq.restart();
      await expectReady(cluster.all, true, 30_000);
      await workload.expectAllEnded();
      expect((await ann.ended(stopped.conversation_id, stopped.turn_id)).status).toBe('cancelled');
    },
    TEST_MS,
  );

  it(
    'closing every connection: every process is back within seconds, and no viewer is told of anything',
    async () => {
      const workload = await Workload.start(cluster, gates, 'closed');
      const isListed = async () =>
        (await rabbitmq.management.listConnections('/')).length === 3 * cluster.all.length;
      await waitFor(isListed, { what: 'three connections of each process' });
      const losses = () => cluster.all.map(({ log }) => log.split('connection to RabbitMQ lost').length - 1);
      const before = losses();
      expect(await rabbitmq.management.closeConnections('/')).toBe(3 * cluster.all.length);
      workload.bob.close();
      workload.add(await new Attempted(workload.ann).expectAccepted());
      // One that came back at once may be among those that are closed, and be lost again.
      await waitFor(() => losses().every((count, index) => count >= before[index]! + 3), {
        what: 'three losses each',
      });
      workload.openGates();
      await expectReady(cluster.all, true);
      await workload.expectAllEnded();
    },
    TEST_MS,
  );

  it(
    'losing the contents of its queues: every process stays ready, and the journal fills them again',
    async () => {
      const workload = await Workload.start(cluster, gates, 'purged');
      const queues = await waitFor(
        async () => {
          const found = await rabbitmq.management.listQueues('/');
          const ready = (name: string) => found.find((queue) => queue.name === name)?.messages_ready ?? 0;
          return ready('turns') > 0 && ready('tools.line') > 0 ? found : undefined;
        },
        { what: 'hints and calls that wait in their queues' },
      );
      const durable = queues.filter((queue) => queue.durable);
      await Promise.all(durable.map(({ name }) => rabbitmq.management.purgeQueue('/', name)));
      workload.bob.close();
      await expectReady(cluster.all, true);
      workload.add(await new Attempted(workload.ann).expectAccepted());
      workload.openGates();
      await workload.expectAllEnded();
    },
    TEST_MS,
  );

  it(
    'losing its queues: every process stays ready, and they are declared and filled again',
    async () => {
      const workload = await Workload.start(cluster, gates, 'deleted');
      const deleteAll =
        'lists:foreach(fun(Q) -> rabbit_amqqueue:delete(Q, false, false, <<"test">>) end, rabbit_amqqueue:list(<<"/">>)).';
      await rabbitmq.control('eval', deleteAll);
      workload.bob.close();
      await expectReady(cluster.all, true);
      workload.add(await new Attempted(workload.ann).expectAccepted());
      workload.openGates();
      await workload.expectAllEnded();
      const names = (await rabbitmq.management.listQueues('/')).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(DURABLE_QUEUES));
    },
    TEST_MS,
  );

  it(
    'blocking publishers (memory alarm): no process is ready, messages are accepted, and it all ends after the alarm',
    async () => {
      const workload = await Workload.start(cluster, gates, 'alarmed');
      await rabbitmq.control('set_vm_memory_high_watermark', 'absolute', '1');
      try {
        workload.bob.close();
        workload.add(await new Attempted(workload.ann).expectAccepted());
        workload.openGates();
        // A process knows of the alarm when it has something to say: the gateways with a viewer, and who works.
        await expectReady([...cluster.gateways.slice(0, 1), ...cluster.workers], false, 30_000);
      } finally {
        await rabbitmq.control('set_vm_memory_high_watermark', '0.9');
      }
      await expectReady(cluster.all, true, 30_000);
      await workload.expectAllEnded();
    },
    TEST_MS,
  );
});
