import { beforeAll, expect, it } from '@jest/globals';
import type { CallView } from '#contracts';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from '../e2e/cluster.js';
import { endCluster } from '../e2e/end-cluster.js';
import { Gates } from '../e2e/gates.js';
import { numbersTo } from '../e2e/numbers.js';
import { checkTranscript } from '../e2e/transcript-check.js';
import type { Viewer } from '../e2e/viewer.js';

interface Sent {
  conversation_id: string;
  turn_id: string;
}

const CLASSES = { reads: 'read', repeats: 'idempotent', acts: 'once' } as const;
/** A process counts as dead when its heartbeat was seen unchanged for 8 s; its driver looks every 2 s. */
const DECLARED_DEAD_MS = 25_000;

describeWithServices(['rabbitmq', 'mongo'], 'a process killed during a turn', () => {
  let gates: Gates;
  let cluster: Cluster;
  let ann: Viewer;

  beforeAll(async () => {
    gates = await Gates.create();
    const holding = { MCP_CONFIG: await gates.mcpConfig(CLASSES) };
    const orchestrators = [{}, {}, {}];
    cluster = await Cluster.start({ workers: [holding, { TOOLSETS: 'math' }], orchestrators });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [gates?.remove()],
  );

  const callOf = ({ conversation_id, turn_id }: Sent): CallView | undefined =>
    ann.turn(conversation_id, turn_id)?.steps[0]?.calls[0];

  /** Asks for a tool that holds, and waits until it does. */
  const startHolding = async (toolset: string, name: string): Promise<Sent> => {
    const sent = await ann.send(`call ${toolset}__hold with {"name":"${name}"}`);
    await gates.started(name);
    await waitFor(() => callOf(sent)?.state === 'running', { what: 'the running call being shown' });
    return sent;
  };

  it('gateway: its viewers continue at the other one, and at itself after its restart', async () => {
    const [dying, other] = cluster.gateways;
    ann = await cluster.view(dying);
    const sent = await ann.send('count to 300');
    const { conversation_id, turn_id } = sent;
    await ann.reads(conversation_id, turn_id, 50);
    await cluster.end(dying!);
    const bob = await cluster.view(other);
    await bob.join(conversation_id);
    const partial = await bob.reads(conversation_id, turn_id);
    expect(numbersTo(300).startsWith(partial)).toBe(true);
    const back = await cluster.startAgain(dying!);
    await waitFor(() => ann.socket.connected, { what: 'the first viewer being back' });
    await ann.join(conversation_id);
    await Promise.all([ann, bob].map((viewer) => viewer.ended(conversation_id, turn_id)));
    for (const viewer of [ann, bob]) {
      expect(viewer.text(conversation_id, turn_id)).toBe(numbersTo(300));
      await checkTranscript(viewer, back, sent);
    }
    // Nobody had to begin again because of it.
    expect(ann.turn(conversation_id, turn_id)?.steps[0]?.attempt).toBe(100);
  });

  it('orchestrator: another one repeats the step, and the text is complete', async () => {
    ann = await cluster.view();
    await cluster.settled();
    const sent = await ann.send('count to 400');
    const { conversation_id, turn_id } = sent;
    await ann.reads(conversation_id, turn_id, 100);
    const driver = await cluster.ownerOf(turn_id);
    await cluster.end(driver);
    const isTakenOver = () =>
      ann.events('token').some((event) => event.turn_id === turn_id && event.attempt >= 200);
    await waitFor(isTakenOver, { what: 'tokens of the next attempt' });
    const bob = await cluster.view(cluster.gateways[1]);
    await bob.join(conversation_id);
    await Promise.all([ann, bob].map((viewer) => viewer.ended(conversation_id, turn_id, 40_000)));
    for (const viewer of [ann, bob]) {
      expect(viewer.text(conversation_id, turn_id)).toBe(numbersTo(400));
      await checkTranscript(viewer, cluster.gateways[1]!, sent);
    }
    expect(ann.turn(conversation_id, turn_id)).toMatchObject({
      status: 'completed',
      steps: [{ attempt: 200 }],
    });
  }, 90_000);

  it('orchestrator: another one takes over the wait for a tool', async () => {
    ann = await cluster.view(cluster.gateways[1]);
    const sent = await startHolding('acts', 'orphan');
    const driver = await cluster.ownerOf(sent.turn_id);
    await cluster.end(driver);
    gates.open('orphan');
    const turn = await ann.ended(sent.conversation_id, sent.turn_id);
    expect(turn.status).toBe('completed');
    expect(callOf(sent)).toMatchObject({ state: 'succeeded', result: 'held orphan', attempt: 1 });
    expect(gates.starts('orphan')).toBe(1);
    await checkTranscript(ann, cluster.gateways[0]!, sent);
  });

  it('worker: a call that may run again does so at once, one of class once is never started again', async () => {
    ann = await cluster.view();
    const [reading, repeating, acting] = await Promise.all([
      startHolding('reads', 'reading'),
      startHolding('repeats', 'repeating'),
      startHolding('acts', 'acting'),
    ]);
    const [dying] = cluster.workers;
    await cluster.add('tool-worker', { MCP_CONFIG: await gates.mcpConfig(CLASSES) });
    await cluster.settled();
    await cluster.end(dying!);
    await Promise.all([gates.started('reading', 2), gates.started('repeating', 2)]);
    // Its end comes when the worker is declared dead; the others did not wait for that.
    expect(callOf(acting)?.state).toBe('running');
    for (const name of ['reading', 'repeating', 'acting']) gates.open(name);
    for (const sent of [reading, repeating, acting]) {
      const turn = await ann.ended(sent.conversation_id, sent.turn_id, DECLARED_DEAD_MS);
      expect(turn.status).toBe('completed');
      await checkTranscript(ann, cluster.gateways[1]!, sent);
    }
    expect(callOf(reading)).toMatchObject({ state: 'succeeded', result: 'held reading', attempt: 2 });
    expect(callOf(repeating)).toMatchObject({ state: 'succeeded', result: 'held repeating', attempt: 2 });
    expect(callOf(acting)).toMatchObject({
      state: 'unknown',
      error: { error_type: 'OutcomeUnknown' },
      attempt: 1,
    });
    expect(['reading', 'repeating', 'acting'].map((name) => gates.starts(name))).toEqual([2, 2, 1]);
  }, 60_000);
});
