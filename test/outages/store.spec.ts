import { beforeAll, expect, it } from '@jest/globals';
import { startMongo, type MongoService } from '../services/mongo.js';
import { TcpProxy } from '../services/tcp-proxy.js';
import { describeWithServices, rabbitmqForTest, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { endCluster } from '../e2e/end-cluster.js';
import { CLUSTER_START_MS, type Cluster } from '../e2e/cluster.js';
import { Gates } from '../e2e/gates.js';
import { Tab } from '../e2e/page-tab.js';
import { removeFolders } from '../e2e/standalone-process.js';
import { connectBrowser } from '../web/browser.js';
import type { Contexts } from '../web/contexts.js';
import { Attempted, expectReady } from './meanwhile.js';
import { startOutageCluster } from './outage-cluster.js';
import { Workload } from './workload.js';

const TEST_MS = 180_000;
const UNREACHABLE_MS = 30_000;
const SLOW_WRITE_MS = 500;

describeWithServices(['rabbitmq', 'private-mongo', 'chromium'], 'the store during turns', () => {
  let mongo: MongoService;
  let proxy: TcpProxy;
  let gates: Gates;
  let cluster: Cluster;
  let contexts: Contexts;

  beforeAll(async () => {
    const rabbitmq = rabbitmqForTest();
    [mongo, gates, contexts] = await Promise.all([
      startMongo({ file: true }),
      Gates.create(),
      connectBrowser(),
    ]);
    proxy = await TcpProxy.start(mongo.url('switchyard'));
    const env = { MONGODB_URL: proxy.url };
    const services = { rabbitmqUrl: (await rabbitmq)!.url, mongodbUrl: mongo.url('switchyard') };
    cluster = await startOutageCluster(gates, { services, gateway: env, orchestrator: env, worker: env });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [proxy?.stop(), contexts?.browser.close(), mongo?.stop(), gates?.remove(), removeFolders()],
  );

  it(
    'killed and restarted: no process is ready, messages are refused and accepted later, and it all ends',
    async () => {
      const workload = await Workload.start(cluster, gates, 'killed');
      await mongo.kill();
      workload.bob.close();
      const attempted = new Attempted(workload.ann);
      await Promise.all([attempted.expectRefused(), expectReady(cluster.all, false)]);
      workload.openGates();
      await mongo.restart();
      await expectReady(cluster.all, true, 30_000);
      workload.add(await attempted.sendUntilAccepted());
      await workload.expectAllEnded();
    },
    TEST_MS,
  );

  it(
    'unreachable for 30 s: the page says that the message is kept, no process is declared dead, and it all ends',
    async () => {
      const workload = await Workload.start(cluster, gates, 'unreachable');
      const tab = await Tab.open(contexts, cluster.gateways[0]!.url);
      await tab.say('say before');
      await tab.hasEnded(1);
      proxy.mode = 'stall';
      const stalledAt = performance.now();
      workload.bob.close();
      const attempted = new Attempted(workload.ann);
      await Promise.all([attempted.expectRefused(), expectReady(cluster.all, false)]);
      await tab.say('say written meanwhile');
      await tab.seen('On this device only. The store cannot be reached. Try again.');
      workload.openGates();
      const isOver = () => performance.now() - stalledAt > UNREACHABLE_MS;
      await waitFor(isOver, { what: 'the end of the outage', timeoutMs: 2 * UNREACHABLE_MS });
      proxy.mode = 'pass';
      await expectReady(cluster.all, true, 30_000);
      workload.add(await attempted.sendUntilAccepted());
      await workload.expectAllEnded();
      await tab.hasEnded(2);
      expect(await tab.page.locator('.prose').allInnerTexts()).toEqual(['before', 'written meanwhile']);
      expect(await tab.ownMessages()).toEqual(['say before', 'say written meanwhile']);
      await tab.close();
    },
    TEST_MS,
  );

  it(
    'slow (every write takes 500 ms): every process stays ready, messages are accepted, and it all ends',
    async () => {
      proxy.delayMs = (data) => (isWrite(data) ? SLOW_WRITE_MS : 0);
      try {
        const workload = await Workload.start(cluster, gates, 'slow');
        workload.bob.close();
        await expectReady(cluster.all, true);
        workload.add(await new Attempted(workload.ann).expectAccepted());
        workload.openGates();
        await workload.expectAllEnded();
        await expectReady(cluster.all, true);
      } finally {
        proxy.delayMs = () => 0;
      }
    },
    TEST_MS,
  );
});

/** Of MongoDB's protocol: the command's name is the first key of the document behind header, flags and kind. */
function isWrite(data: Buffer): boolean {
  return /^(insert|update|delete|findAndModify)\0/.test(data.toString('latin1', 26, 42));
}
