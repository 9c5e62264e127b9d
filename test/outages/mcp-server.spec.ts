import { beforeAll, expect, it } from '@jest/globals';
import type { CallView } from '#contracts';
import {
  describeWithServices,
  mongoForTest,
  rabbitmqForTest,
  serviceStartTimeoutMs,
} from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { endCluster } from '../e2e/end-cluster.js';
import { CLUSTER_START_MS, type Cluster } from '../e2e/cluster.js';
import { Gates } from '../e2e/gates.js';
import { removeFolders } from '../e2e/standalone-process.js';
import { checkTranscript } from '../e2e/transcript-check.js';
import type { Viewer } from '../e2e/viewer.js';
import { expectOffered, expectReady } from './meanwhile.js';
import { startOutageCluster } from './outage-cluster.js';
import type { Sent } from './workload.js';

/** The pause before a server is started again, and its start. */
const AGAIN_MS = 20_000;
const TEST_MS = 90_000;

describeWithServices(['rabbitmq', 'mongo'], 'an MCP server killed during a call', () => {
  let gates: Gates;
  let cluster: Cluster;
  let ann: Viewer;
  let bob: Viewer;

  beforeAll(async () => {
    const [rabbitmq, mongo] = await Promise.all([rabbitmqForTest(), mongoForTest()]);
    gates = await Gates.create();
    const services = { rabbitmqUrl: rabbitmq!.url, mongodbUrl: mongo!.url };
    cluster = await startOutageCluster(gates, { services });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [gates?.remove(), removeFolders()],
  );

  const callOf = (viewer: Viewer, { conversation_id, turn_id }: Sent): CallView | undefined =>
    viewer.turn(conversation_id, turn_id)?.steps[0]?.calls[0];

  /** A call that runs, seen by two viewers, and whose server then dies. */
  const killServerOf = async (toolset: string, name: string): Promise<Sent> => {
    [ann, bob] = await Promise.all([cluster.view(), cluster.view(cluster.gateways[1])]);
    const sent = await ann.send(`call ${toolset}__hold with {"name":"${name}"} then what is 3 + 4?`);
    await bob.join(sent.conversation_id);
    await gates.started(name);
    const isSeen = () => [ann, bob].every((viewer) => callOf(viewer, sent)?.state === 'running');
    await waitFor(isSeen, { what: 'the running call being shown' });
    process.kill(gates.servers(name)[0]!, 'SIGKILL');
    return sent;
  };

  /** For both viewers the same, and the turn goes on to its end. */
  const expectEnd = async (sent: Sent, call: Partial<CallView>, answer: string): Promise<void> => {
    for (const viewer of [ann, bob]) {
      const turn = await viewer.ended(sent.conversation_id, sent.turn_id, AGAIN_MS);
      expect(turn.status).toBe('completed');
      expect(callOf(viewer, sent)).toMatchObject(call);
      expect(viewer.text(sent.conversation_id, sent.turn_id)).toContain(answer);
      await checkTranscript(viewer, cluster.gateways[0]!, sent);
    }
  };

  it(
    'class once: the call is shown as one that may have run and is not started again; the server comes back',
    async () => {
      // Of the toolset `line` there is one server: while it is away nobody offers the tool.
      const sent = await killServerOf('line', 'lost');
      const error_message =
        'May have run. The connection to the MCP server line broke during the call. It will not be started again.';
      const error = { error_type: 'OutcomeUnknown', error_message };
      await expectEnd(sent, { state: 'unknown', attempt: 1, error }, error_message);
      expect(gates.starts('lost')).toBe(1);
      await expectReady(cluster.all, true);
      await expectOffered(cluster.gateways, ['line']);
      gates.open('next');
      const next = await ann.send('call line__hold with {"name":"next"}');
      await ann.ended(next.conversation_id, next.turn_id);
      expect(callOf(ann, next)).toMatchObject({ state: 'succeeded', result: 'held next' });
    },
    TEST_MS,
  );

  it(
    'class idempotent: the call runs again as attempt 2 when the server is back, and the turn does not notice',
    async () => {
      const sent = await killServerOf('repeats', 'repeated');
      await gates.started('repeated', 2);
      expect(new Set(gates.servers('repeated')).size).toBe(2);
      await waitFor(() => callOf(ann, sent)?.attempt === 2, { what: 'the second attempt being shown' });
      gates.open('repeated');
      await expectEnd(sent, { state: 'succeeded', attempt: 2, result: 'held repeated' }, '7');
      expect(gates.starts('repeated')).toBe(2);
      await expectReady(cluster.all, true);
    },
    TEST_MS,
  );
});
