import { beforeAll, expect, it } from '@jest/globals';
import type { SwitchyardProcess } from '../services/processes.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from '../e2e/cluster.js';
import { endCluster } from '../e2e/end-cluster.js';
import { Gates } from '../e2e/gates.js';
import { numbersTo } from '../e2e/numbers.js';
import { checkTranscript } from '../e2e/transcript-check.js';

/** Dead after 8 s without a heartbeat, counted from the new processes' start; found by the sweeper within 7 s. */
const TAKEN_UP_MS = 40_000;

describeWithServices(['rabbitmq', 'mongo'], 'a restart during turns', () => {
  let gates: Gates;
  let cluster: Cluster;

  beforeAll(async () => {
    gates = await Gates.create();
    const worker = { MCP_CONFIG: await gates.mcpConfig({ reads: 'read' }) };
    cluster = await Cluster.start({ workers: [worker, worker] });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [gates?.remove()],
  );

  const replace = async (process: SwitchyardProcess): Promise<void> => {
    await cluster.end(process, 'SIGTERM');
    expect(await process.exit).toEqual({ code: 0, signal: null });
    await cluster.startAgain(process);
  };

  it('of all processes, one after the other by SIGTERM, ends no turn with an error and loses no text', async () => {
    const [a, b] = cluster.gateways;
    const ann = await cluster.view(a);
    const counting = await ann.send('count to 1200');
    const holding = await ann.send('call reads__hold with {"name":"rolling"} then what is 3 + 4?');
    await gates.started('rolling');
    await ann.reads(counting.conversation_id, counting.turn_id, 100);
    for (const process of [...cluster.orchestrators]) await replace(process);
    for (const process of [...cluster.workers]) await replace(process);
    await replace(b!);
    const bob = await cluster.view(cluster.gateways[1]);
    gates.open('rolling');
    for (const sent of [counting, holding]) {
      const turn = await ann.ended(sent.conversation_id, sent.turn_id, TAKEN_UP_MS);
      expect(turn.status).toBe('completed');
      await bob.join(sent.conversation_id);
      await checkTranscript(ann, cluster.gateways[1]!, sent);
    }
    expect(ann.text(counting.conversation_id, counting.turn_id)).toBe(numbersTo(1200));
    expect(ann.turn(holding.conversation_id, holding.turn_id)?.steps[0]?.calls[0]?.result).toBe(
      'held rolling',
    );
    expect(ann.text(holding.conversation_id, holding.turn_id)).toContain('7');
    expect(ann.events('error')).toEqual([]);
  }, 120_000);

  it('of all processes at once by SIGKILL loses nothing', async () => {
    const ann = await cluster.view();
    const counting = await ann.send('count to 400');
    const queued = await ann.send('what is 8 + 8?', { conversation_id: counting.conversation_id });
    const holding = await ann.send('call reads__hold with {"name":"blackout"}');
    await gates.started('blackout');
    await ann.reads(counting.conversation_id, counting.turn_id, 50);
    const all = cluster.all;
    await Promise.all(all.map((process) => cluster.end(process)));
    gates.open('blackout');
    await Promise.all(all.map((process) => cluster.startAgain(process)));
    await waitFor(() => ann.socket.connected, { what: 'the viewer being back' });
    for (const sent of [counting, holding]) await ann.join(sent.conversation_id);
    for (const sent of [counting, queued, holding]) {
      const turn = await ann.ended(sent.conversation_id, sent.turn_id, TAKEN_UP_MS);
      expect(turn.status).toBe('completed');
      await checkTranscript(ann, cluster.gateways[0]!, sent);
    }
    expect(ann.text(counting.conversation_id, counting.turn_id)).toBe(numbersTo(400));
    expect(ann.turn(holding.conversation_id, holding.turn_id)?.steps[0]?.calls[0]).toMatchObject({
      state: 'succeeded',
      result: 'held blackout',
      attempt: 2,
    });
    expect(gates.starts('blackout')).toBe(2);
  }, 120_000);
});
