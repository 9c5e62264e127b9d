import { connect } from 'amqplib';
import { beforeAll, expect, it } from '@jest/globals';
import type { CallView } from '#contracts';
import { exchanges } from '#messaging';
import type { SwitchyardProcess } from '../services/processes.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from '../e2e/cluster.js';
import { endCluster } from '../e2e/end-cluster.js';
import { Gates } from '../e2e/gates.js';
import { checkTranscript } from '../e2e/transcript-check.js';
import type { Viewer } from '../e2e/viewer.js';

/** Two looks 10 s apart, the first 2 s after the call was sent, each at a tick of 2 s; and a busy machine. */
const NO_WORKER_MS = 30_000;
/** A worker announces itself every 10 s and counts as gone after 30 s: so long it would be listed without being looked for. */
const SILENCE_MS = 20_000;

describeWithServices(['rabbitmq', 'mongo'], 'a toolset that comes and goes', () => {
  let gates: Gates;
  let cluster: Cluster;
  beforeAll(async () => {
    gates = await Gates.create();
    const worker = { MCP_CONFIG: await gates.mcpConfig({ gate: 'once' }) };
    const settings = { tools: { narrow: { concurrency: 1 } } };
    cluster = await Cluster.start({ workers: [worker, worker], settings });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [gates?.remove()],
  );

  const isListed = async (gateway: SwitchyardProcess, toolset: string): Promise<boolean> => {
    const response = await fetch(`${gateway.url}/api/tools`);
    return JSON.stringify(await response.json()).includes(`${toolset}.hold`);
  };

  /** A worker with this toolset alone, known to both gateways. */
  const addWorker = async (toolset: string): Promise<SwitchyardProcess> => {
    const env = { MCP_CONFIG: await gates.mcpConfig({ [toolset]: 'once' }), TOOLSETS: toolset };
    const worker = await cluster.add('tool-worker', env);
    const areTold = () => Promise.all(cluster.gateways.map((gateway) => isListed(gateway, toolset)));
    // MCP servers may connect after their worker is ready.
    await waitFor(async () => (await areTold()).every(Boolean), {
      what: `${toolset} on both lists`,
      timeoutMs: CLUSTER_START_MS,
    });
    return worker;
  };

  const lastCallOf = (
    viewer: Viewer,
    sent: { conversation_id: string; turn_id: string },
  ): CallView | undefined =>
    viewer.turn(sent.conversation_id, sent.turn_id)?.steps.findLast(({ calls }) => calls.length > 0)
      ?.calls[0];

  it('is offered at the next turn, without a change to any other process', async () => {
    const ann = await cluster.view();
    const pids = cluster.all.map(({ pid }) => pid);
    const before = await ann.send('call extra__hold with {"name":"fresh"}');
    const { conversation_id } = before;
    await ann.ended(conversation_id, before.turn_id);
    expect(ann.text(conversation_id, before.turn_id)).toContain('no tool like');
    const worker = await addWorker('extra');
    gates.open('fresh');
    const after = await ann.send('call extra__hold with {"name":"fresh"}', { conversation_id });
    await ann.ended(conversation_id, after.turn_id);
    expect(lastCallOf(ann, after)).toMatchObject({
      tool_name: 'extra.hold',
      state: 'succeeded',
      result: 'held fresh',
    });
    expect(cluster.all.map(({ pid }) => pid).slice(0, pids.length)).toEqual(pids);
    await checkTranscript(ann, cluster.gateways[1]!, after);
    await cluster.end(worker, 'SIGTERM');
    const withdrawn = async () => !(await isListed(cluster.gateways[0]!, 'extra'));
    await waitFor(withdrawn, { what: 'the toolset being withdrawn' });
    const last = await ann.send('call extra__hold with {"name":"fresh"}', { conversation_id });
    await ann.ended(conversation_id, last.turn_id);
    expect(ann.text(conversation_id, last.turn_id)).toContain('no tool like');
  }, 60_000);

  it('fails a call as unavailable after its last worker was killed or stopped', async () => {
    const ann = await cluster.view();
    const [leaving, dying] = await Promise.all([addWorker('leaving'), addWorker('dying')]);
    const told = await ann.send(
      'call gate__hold with {"name":"first"} then call leaving__hold with {"name":"second"}',
    );
    await gates.started('first');
    await cluster.end(leaving, 'SIGTERM');
    gates.open('first');
    await cluster.end(dying, 'SIGKILL');
    const killed = await ann.send('call dying__hold with {"name":"third"}');
    for (const turn of [told, killed]) {
      const end = await ann.ended(turn.conversation_id, turn.turn_id, NO_WORKER_MS);
      expect(end.status).toBe('completed');
      expect(lastCallOf(ann, turn)).toMatchObject({
        state: 'failed',
        error: { error_type: 'DependencyUnavailable' },
      });
      await checkTranscript(ann, cluster.gateways[1]!, turn);
    }
    expect([gates.starts('second'), gates.starts('third')]).toEqual([0, 0]);
  }, 90_000);

  it('is withdrawn when its last worker was killed, without waiting for its silence, and returns with the next one', async () => {
    const worker = await addWorker('mortal');
    await cluster.end(worker, 'SIGKILL');
    const areWithdrawn = async () => {
      const listed = await Promise.all(cluster.gateways.map((gateway) => isListed(gateway, 'mortal')));
      return !listed.some(Boolean);
    };
    await waitFor(areWithdrawn, { what: 'the toolset being withdrawn', timeoutMs: SILENCE_MS });
    await addWorker('mortal');
    const ann = await cluster.view();
    gates.open('again');
    const sent = await ann.send('call mortal__hold with {"name":"again"}');
    await ann.ended(sent.conversation_id, sent.turn_id);
    expect(lastCallOf(ann, sent)).toMatchObject({ tool_name: 'mortal.hold', state: 'succeeded' });
  }, 60_000);

  it('refuses calls beyond the room in its queue with "overloaded", and loses none of the others', async () => {
    await declareNarrowQueue(cluster.broker.url, 'tools.narrow');
    await addWorker('narrow');
    const viewers = await Promise.all(cluster.gateways.map((gateway) => cluster.view(gateway)));
    const names = Array.from({ length: 12 }, (_, i) => `narrow-${i}`);
    const turns = await Promise.all(
      names.map((name, i) => viewers[i % 2]!.send(`call narrow__hold with {"name":"${name}"}`)),
    );
    const callOf = (i: number) => lastCallOf(viewers[i % 2]!, turns[i]!);
    const isRefused = (i: number) => callOf(i)?.error?.error_type === 'ApiLimitExceeded';
    const indexes = names.map((_, i) => i);
    await waitFor(() => indexes.some(isRefused), { what: 'a refusal', timeoutMs: 30_000 });
    for (const name of names) gates.open(name);
    for (const [i, { conversation_id, turn_id }] of turns.entries())
      expect((await viewers[i % 2]!.ended(conversation_id, turn_id, 30_000)).status).toBe('completed');
    const refused = indexes.filter(isRefused);
    for (const i of refused)
      expect(callOf(i)).toMatchObject({
        state: 'failed',
        attempt: 0,
        error: {
          error_message: 'Overloaded: too many calls of narrow are waiting for a worker.',
          error_details: { started: false, retry_after_ms: 10_000 },
        },
      });
    const others = indexes.filter((i) => !refused.includes(i));
    expect(others.length).toBeGreaterThan(0);
    expect(others.map((i) => callOf(i)?.state)).toEqual(others.map(() => 'succeeded'));
    expect(names.map((name) => gates.starts(name))).toEqual(indexes.map((i) => (isRefused(i) ? 0 : 1)));
    await checkTranscript(viewers[refused[0]! % 2]!, cluster.gateways[1]!, turns[refused[0]!]!);
  }, 90_000);
});

/** As an operator may have made it: what declares it later takes it as it is. */
async function declareNarrowQueue(url: string, name: string): Promise<void> {
  const connection = await connect(url);
  const channel = await connection.createChannel();
  await channel.assertQueue(name, {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', 'x-max-length': 1, 'x-overflow': 'reject-publish' },
  });
  await channel.bindQueue(name, exchanges.commands, name);
  await connection.close();
}
