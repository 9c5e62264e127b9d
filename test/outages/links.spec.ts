import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  describeWithServices,
  mongoForTest,
  rabbitmqForTest,
  serviceStartTimeoutMs,
} from '../services/test-services.js';
import { TcpProxy } from '../services/tcp-proxy.js';
import { endCluster } from '../e2e/end-cluster.js';
import { CLUSTER_START_MS, type Cluster } from '../e2e/cluster.js';
import { Gates } from '../e2e/gates.js';
import { removeFolders } from '../e2e/standalone-process.js';
import { Attempted, expectOffered, expectReady } from './meanwhile.js';
import { startOutageCluster } from './outage-cluster.js';
import { Workload } from './workload.js';

const KINDS = ['gateways', 'orchestrators', 'workers'] as const;
/** The default is 10 s, and a dead peer is noticed after two to three of them. */
const HEARTBEAT_SECONDS = 2;
const TEST_MS = 120_000;

describeWithServices(['rabbitmq', 'mongo'], 'a failing connection to the broker', () => {
  let gates: Gates;
  let cluster: Cluster;
  let proxies: Record<(typeof KINDS)[number], TcpProxy>;

  beforeAll(async () => {
    const [rabbitmq, mongo] = await Promise.all([rabbitmqForTest(), mongoForTest()]);
    gates = await Gates.create();
    const [gateways, orchestrators, workers] = await Promise.all(
      KINDS.map(() => TcpProxy.start(rabbitmq!.url)),
    );
    proxies = { gateways: gateways!, orchestrators: orchestrators!, workers: workers! };
    const by = ({ url }: TcpProxy) => ({ RABBITMQ_URL: `${url}?heartbeat=${HEARTBEAT_SECONDS}` });
    cluster = await startOutageCluster(gates, {
      services: { rabbitmqUrl: rabbitmq!.url, mongodbUrl: mongo!.url },
      gateway: by(proxies.gateways),
      orchestrator: by(proxies.orchestrators),
      worker: by(proxies.workers),
    });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [gates?.remove(), removeFolders(), ...Object.values(proxies ?? {}).map((proxy) => proxy.stop())],
  );

  describe.each(KINDS)('of the %s', (kind) => {
    it.each(['cut', 'stall', 'half-open'] as const)(
      '%s: they are not ready, the others are; messages are accepted, and it all ends after the repair',
      async (mode) => {
        const workload = await Workload.start(cluster, gates, `${kind}-${mode}`);
        const others = KINDS.filter((other) => other !== kind).flatMap((other) => cluster[other]);
        proxies[kind].mode = mode;
        workload.bob.close();
        workload.add(await new Attempted(workload.ann).expectAccepted());
        await expectReady(cluster[kind], false, 20_000);
        await expectReady(others, true);
        workload.add(await new Attempted(workload.ann).expectAccepted());
        proxies[kind].mode = 'pass';
        workload.openGates();
        await expectReady(cluster.all, true, 30_000);
        await workload.expectAllEnded();
      },
      TEST_MS,
    );
  });

  it(
    'of the workers, cut for longer: a waiting call ends as DependencyUnavailable, a running one with its own result',
    async () => {
      const ann = await cluster.view();
      const running = await ann.send('call acts__hold with {"name":"outlasts"}');
      await gates.started('outlasts');
      proxies.workers.mode = 'cut';
      const waiting = await ann.send('call acts__hold with {"name":"too-late"}');
      const turn = await ann.ended(waiting.conversation_id, waiting.turn_id, 60_000);
      expect(turn.steps[0]?.calls[0]).toMatchObject({
        state: 'failed',
        error: { error_type: 'DependencyUnavailable', error_message: 'No worker for acts is running.' },
      });
      gates.open('outlasts');
      const outlasted = await ann.ended(running.conversation_id, running.turn_id, 30_000);
      expect(outlasted.steps[0]?.calls[0]).toMatchObject({ state: 'succeeded', result: 'held outlasts' });
      proxies.workers.mode = 'pass';
      await expectReady(cluster.all, true, 30_000);
      await expectOffered(cluster.gateways, ['acts', 'repeats', 'line']);
      expect([gates.starts('outlasts'), gates.starts('too-late')]).toEqual([1, 0]);
    },
    TEST_MS,
  );
});
