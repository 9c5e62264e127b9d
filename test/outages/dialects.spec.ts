import { beforeAll, it } from '@jest/globals';
import { CLUSTER_START_MS, type Cluster } from '../e2e/cluster.js';
import { DIALECTS, DialectQuestions } from '../e2e/dialect-questions.js';
import { endCluster } from '../e2e/end-cluster.js';
import { Gates } from '../e2e/gates.js';
import { numbersTo } from '../e2e/numbers.js';
import { removeFolders } from '../e2e/standalone-process.js';
import { startRabbitmq, type RabbitmqService } from '../services/rabbitmq.js';
import { describeWithServices, mongoForTest, serviceStartTimeoutMs } from '../services/test-services.js';
import { expectReady } from './meanwhile.js';
import { startOutageCluster } from './outage-cluster.js';

const TEST_MS = 150_000;
/** So slowly that the broker is gone and back meanwhile. */
const COUNTED = 150;

describeWithServices(
  ['private-rabbitmq', 'mongo'],
  'requests of each dialect while the broker is down',
  () => {
    let rabbitmq: RabbitmqService;
    let gates: Gates;
    let cluster: Cluster;
    let questions: DialectQuestions;

    beforeAll(async () => {
      const mongo = mongoForTest();
      [rabbitmq, gates] = await Promise.all([startRabbitmq(), Gates.create()]);
      const services = { rabbitmqUrl: rabbitmq.url(), mongodbUrl: (await mongo)!.url };
      cluster = await startOutageCluster(gates, { services, orchestrator: { TURNS_PER_ORCHESTRATOR: '50' } });
      questions = new DialectQuestions(cluster, gates);
      await Promise.all(
        ['turns', 'results', 'tools.repeats'].map((queue) => rabbitmq.queueOnDisk('/', queue)),
      );
    }, serviceStartTimeoutMs + CLUSTER_START_MS);

    endCluster(
      () => cluster,
      () => [rabbitmq?.stop(), gates?.remove(), removeFolders()],
    );

    it(
      'killed and restarted: streams stay open, and receive all of their text and calls once',
      async () => {
        const holding = await questions.askAllToHold('broker');
        const counting = await Promise.all(
          DIALECTS.map((dialect) => questions.ask(dialect, `count slowly to ${COUNTED}`)),
        );
        await Promise.all(counting.map((one) => questions.turnIdOf(one)));
        await rabbitmq.kill();
        await expectReady(cluster.all, false);
        questions.openAll('broker');
        await rabbitmq.restart();
        await expectReady(cluster.all, true, 30_000);
        await questions.expectAllHeld(holding, 'broker', 1);
        for (const one of counting)
          await questions.expectAnswered(one, { text: numbersTo(COUNTED), calls: [] });
      },
      TEST_MS,
    );
  },
);
