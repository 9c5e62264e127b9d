import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { newMessage, type Call } from '#contracts';
import { createRabbitmqBus, type Bus } from '#messaging';
import { systemTime } from '#time';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';
import { Gates } from './gates.js';
import type { Viewer } from './viewer.js';

interface Sent {
  conversation_id: string;
  turn_id: string;
}

const CLASSES = { repeats: 'idempotent', acts: 'once', asks: 'once' } as const;
const REMOVED_MS = 30_000;

describeWithServices(['rabbitmq', 'mongo'], 'a conversation that is deleted', () => {
  let gates: Gates;
  let cluster: Cluster;
  let folder: string;
  let bus: Bus;
  let ann: Viewer;
  let bob: Viewer;

  beforeAll(async () => {
    gates = await Gates.create();
    folder = await mkdtemp(join(tmpdir(), 'switchyard-delete-'));
    const CONFIG = join(folder, 'switchyard.json');
    await writeFile(CONFIG, JSON.stringify({ tools: { asks: { approve: true } } }));
    const MCP_CONFIG = await gates.mcpConfig(CLASSES);
    cluster = await Cluster.start({ workers: [{ MCP_CONFIG }], orchestrators: [{ CONFIG }, { CONFIG }] });
    bus = createRabbitmqBus({
      ...systemTime(),
      url: cluster.broker.url,
      role: 'orchestrator',
      processId: `orchestrator-${randomUUID()}`,
    });
    await bus.open();
    const tools = async () => (await fetch(`${cluster.gateways[0]!.url}/api/tools`)).text();
    const areThere = async () => {
      const text = await tools();
      return Object.keys(CLASSES).every((name) => text.includes(name));
    };
    await waitFor(areThere, { what: 'the tools that hold', timeoutMs: CLUSTER_START_MS });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [bus?.close(), gates?.remove(), rm(folder, { recursive: true, force: true })],
  );

  const remove = async ({ conversation_id }: Sent): Promise<void> => {
    const url = `${cluster.gateways[0]!.url}/api/conversations/${conversation_id}`;
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(204);
  };
  const startHolding = async (toolset: string, name: string): Promise<Sent & { call: Call }> => {
    const sent = await ann.send(`call ${toolset}__hold with {"name":"${name}"}`);
    await gates.started(name);
    const step = await cluster.store.getStep(sent.turn_id, 1);
    return { ...sent, call: step!.calls[0]! };
  };
  /** All that is left are ids that say nothing. */
  const expectRemoved = async ({ conversation_id, turn_id }: Sent): Promise<void> => {
    const { store } = cluster;
    const isRemoved = async () =>
      (await store.listTurns(conversation_id, { limit: 1 })).length === 0 &&
      (await store.listOutcomes([turn_id])).length === 0;
    await waitFor(isRemoved, { what: 'the removal', timeoutMs: REMOVED_MS });
    const steps = await store.listSteps(conversation_id, { after: 0, before: 99 });
    expect(steps.flatMap((step) => [...step.blocks, ...step.calls])).toEqual([]);
    expect(await store.getConversation(conversation_id)).toMatchObject({ title: '' });
  };
  const wasToldOf = (viewer: Viewer, { conversation_id }: Sent) =>
    waitFor(
      () =>
        viewer
          .events('cancelled')
          .some((event) => event.conversation_id === conversation_id && event.deleted === true),
      { what: 'the word that the conversation was deleted' },
    );

  it('deletion while a call runs notifies viewers at both gateways, stops the call, and removes everything', async () => {
    ann = await cluster.view(cluster.gateways[0]);
    bob = await cluster.view(cluster.gateways[1]);
    const sent = await startHolding('acts', 'running');
    const waiting = await ann.send('and then?', { conversation_id: sent.conversation_id });
    await bob.join(sent.conversation_id);
    await remove(sent);
    await Promise.all([ann, bob].map((viewer) => wasToldOf(viewer, sent)));
    await waitFor(() => gates.cancels('running') === 1, { what: 'the call being told to stop' });
    await expectRemoved(sent);
    const { conversation_id, turn_id } = sent;
    const approval = { turn_id, tool_call_id: sent.call.tool_call_id, decision: 'approve' };
    const refused = await Promise.all([
      ann.request('join', { conversation_id }),
      ann.request('message', { conversation_id, content: 'still there?' }),
      ann.request('stop', { turn_id }),
      ann.request('stop', { turn_id: waiting.turn_id }),
      ann.request('tool_approval', approval),
    ]);
    for (const answer of refused) expect(answer).toMatchObject({ error: { code: 'not_found' } });
  }, 60_000);

  it('deletion is final when messages arrive late: no call starts again, nothing is written', async () => {
    ann = await cluster.view();
    const sent = await startHolding('repeats', 'late');
    await remove(sent);
    await expectRemoved(sent);
    const { conversation_id, turn_id, call } = sent;
    const ids = { turn_id, conversation_id };
    const late = newMessage(systemTime(), 'tool.call', {
      ...{ ...ids, tool_call_id: call.tool_call_id, n: 1, user_id: 'local', tool_name: call.tool_name },
      ...{ arguments: call.arguments, class: call.class, timeout_ms: call.timeout_ms },
      deadline: new Date(Date.now() + 60_000).toISOString(),
      reply_to: 'orchestrator.nobody',
    });
    const result = {
      ...{ turn_id, tool_call_id: call.tool_call_id, status: 'success' as const, data: { value: 1 } },
      ...{ error: null, explanation: null, duration_ms: 1, worker: 'worker-1' },
    };
    expect(await bus.publish('tools.repeats', late)).toBe('confirmed');
    expect(await bus.publish('results', newMessage(systemTime(), 'tool.result', result))).toBe('confirmed');
    expect(await bus.publish('turns', newMessage(systemTime(), 'turn.advance', ids))).toBe('confirmed');
    // What comes after them in the same queues has been done: so have they.
    gates.open('after');
    const after = await startHolding('repeats', 'after');
    expect((await ann.ended(after.conversation_id, after.turn_id)).status).toBe('completed');
    expect(gates.starts('late')).toBe(1);
    await expectRemoved(sent);
    expect(await cluster.store.listDeadLetters(10)).toEqual([]);
  }, 60_000);

  it('deletion ends a streamed turn, one that waits for a person, and one that arrives too late', async () => {
    ann = await cluster.view();
    const streaming = await ann.send('count to 300');
    const asking = await ann.send('call asks__hold with {"name":"never"}');
    await ann.reads(streaming.conversation_id, streaming.turn_id, 20);
    const isAsked = () =>
      ann.turn(asking.conversation_id, asking.turn_id)?.steps[0]?.calls[0]?.state === 'awaiting_approval';
    await waitFor(isAsked, { what: 'the question' });
    await Promise.all([streaming, asking].map((sent) => remove(sent)));
    await Promise.all([streaming, asking].map((sent) => expectRemoved(sent)));
    expect(gates.starts('never')).toBe(0);
    // A gateway that checked before the mark, and inserts after the removal.
    const { conversation_id } = streaming;
    const late = { conversation_id, turn_id: `turn_late_${Date.now()}` };
    await cluster.store.insertTurn({
      ...{ _id: late.turn_id, conversation_id, number: 1, user_id: 'local', client_message_id: 'late' },
      ...{ content: 'call repeats__hold with {"name":"never"}', options: {}, status: 'queued' as const },
      ...{ at: new Date().toISOString(), due_at: Date.now() },
    });
    await bus.publish('turns', newMessage(systemTime(), 'turn.advance', late));
    await expectRemoved(late);
    expect(gates.starts('never')).toBe(0);
  }, 60_000);

  it('deletion is completed by another orchestrator when all of them are killed on the way', async () => {
    ann = await cluster.view();
    const sent = await startHolding('acts', 'orphan');
    const killed = [...cluster.orchestrators];
    const isMarked = async () =>
      (await cluster.store.getConversation(sent.conversation_id))?.deleted_at !== undefined;
    const removing = remove(sent);
    await waitFor(isMarked, { what: 'the mark', intervalMs: 5 });
    await Promise.all(killed.map((process) => cluster.end(process)));
    await removing;
    await cluster.startAgain(killed[0]!);
    await expectRemoved(sent);
  }, 90_000);
});
