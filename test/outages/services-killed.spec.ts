import { beforeAll, expect, it } from '@jest/globals';
import { startMongo, type MongoService } from '../services/mongo.js';
import { startRabbitmq, type RabbitmqService } from '../services/rabbitmq.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { Cluster, CLUSTER_START_MS } from '../e2e/cluster.js';
import { endCluster } from '../e2e/end-cluster.js';
import { Gates } from '../e2e/gates.js';
import { numbersTo } from '../e2e/numbers.js';
import { checkTranscript } from '../e2e/transcript-check.js';
import type { Viewer } from '../e2e/viewer.js';

const START_MS = serviceStartTimeoutMs + CLUSTER_START_MS;
/** Everybody reconnects with back-off, and the sweeper looks every few seconds. */
const RECOVERED_MS = 40_000;

interface Sent {
  conversation_id: string;
  turn_id: string;
}

describeWithServices(['private-rabbitmq', 'private-mongo'], 'a service killed during turns', () => {
  let rabbitmq: RabbitmqService;
  let mongo: MongoService;
  let gates: Gates;
  let cluster: Cluster;
  let ann: Viewer;

  beforeAll(async () => {
    [rabbitmq, mongo, gates] = await Promise.all([
      startRabbitmq(),
      startMongo({ file: true }),
      Gates.create(),
    ]);
    const worker = { MCP_CONFIG: await gates.mcpConfig({ acts: 'once' }) };
    const services = { rabbitmqUrl: rabbitmq.url(), mongodbUrl: mongo.url('switchyard') };
    cluster = await Cluster.start({ services, workers: [worker, worker] });
    const queues = ['turns', 'results', 'dead-letters', 'tools.acts', 'tools.math'];
    await Promise.all(queues.map((queue) => rabbitmq.queueOnDisk('/', queue)));
  }, START_MS);

  endCluster(
    () => cluster,
    () => [rabbitmq?.stop(), mongo?.stop(), gates?.remove()],
  );

  /** One turn that streams, one in line behind it, one whose tool holds. */
  const startTurns = async (name: string): Promise<{ counting: Sent; queued: Sent; holding: Sent }> => {
    const counting = await ann.send('count to 250');
    const queued = await ann.send('what is 20 + 22?', { conversation_id: counting.conversation_id });
    const holding = await ann.send(`call acts__hold with {"name":"${name}"} then what is 3 + 4?`);
    await gates.started(name);
    await ann.reads(counting.conversation_id, counting.turn_id, 50);
    return { counting, queued, holding };
  };

  const expectAllEnd = async (name: string, turns: Awaited<ReturnType<typeof startTurns>>): Promise<void> => {
    const { counting, queued, holding } = turns;
    for (const sent of [counting, queued, holding]) {
      const turn = await ann.ended(sent.conversation_id, sent.turn_id, RECOVERED_MS);
      expect(turn.status).toBe('completed');
      await checkTranscript(ann, cluster.gateways[1]!, sent);
    }
    expect(ann.text(counting.conversation_id, counting.turn_id)).toBe(numbersTo(250));
    expect(ann.text(queued.conversation_id, queued.turn_id)).toContain('42');
    const call = ann.turn(holding.conversation_id, holding.turn_id)?.steps[0]?.calls[0];
    expect(call).toMatchObject({ state: 'succeeded', result: `held ${name}`, attempt: 1 });
    expect(ann.text(holding.conversation_id, holding.turn_id)).toContain('7');
    expect(gates.starts(name)).toBe(1);
    const again = await ann.send('what is 1 + 1?', { conversation_id: queued.conversation_id });
    expect((await ann.ended(again.conversation_id, again.turn_id)).status).toBe('completed');
  };

  it('broker: turns continue when it is back, and no outcome is unknown', async () => {
    ann = await cluster.view();
    const turns = await startTurns('brokerless');
    await rabbitmq.kill();
    gates.open('brokerless');
    await rabbitmq.restart();
    await expectAllEnd('brokerless', turns);
  }, 120_000);

  it('store: output in memory is committed when it is back, and no process is declared dead meanwhile', async () => {
    ann = await cluster.view();
    const turns = await startTurns('storeless');
    await mongo.kill();
    gates.open('storeless');
    await mongo.restart();
    await expectAllEnd('storeless', turns);
    const { counting } = turns;
    // Its driver kept it: nothing was streamed twice.
    expect(ann.turn(counting.conversation_id, counting.turn_id)?.steps[0]?.attempt).toBe(100);
  }, 120_000);
});
