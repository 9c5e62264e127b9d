import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from '@jest/globals';
import type { CallView } from '#contracts';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from '../e2e/cluster.js';
import { endCluster } from '../e2e/end-cluster.js';
import type { Viewer } from '../e2e/viewer.js';

const script = fileURLToPath(new URL('../../libs/mcp/testing/asking-server.mjs', import.meta.url));
const PATIENCE = { timeoutMs: 40_000 };

interface Sent {
  conversation_id: string;
  turn_id: string;
}

describeWithServices(['rabbitmq', 'mongo'], 'a tool that asks the user', () => {
  let folder: string;
  let worker: Record<string, string>;
  let cluster: Cluster;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-questions-'));
    const server = { command: process.execPath, args: [script] };
    const mcpServers = { acts: { ...server, class: 'once' }, repeats: { ...server, class: 'idempotent' } };
    worker = { MCP_CONFIG: join(folder, 'mcp.json'), TOOLSETS: 'acts,repeats' };
    await writeFile(worker.MCP_CONFIG!, JSON.stringify({ mcpServers }));
    cluster = await Cluster.start({ workers: [worker, worker] });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);
  endCluster(
    () => cluster,
    () => [rm(folder, { recursive: true, force: true })],
  );

  const callOf = (viewer: Viewer, { conversation_id, turn_id }: Sent): CallView | undefined =>
    viewer.turn(conversation_id, turn_id)?.steps[0]?.calls[0];
  async function asked(viewer: Viewer, sent: Sent, number = 1): Promise<CallView> {
    const isAsked = () => {
      const call = callOf(viewer, sent);
      return call?.state === 'awaiting_input' && call.question?.number === number;
    };
    await waitFor(isAsked, { what: `question ${number}`, ...PATIENCE });
    return callOf(viewer, sent)!;
  }
  const answer = (viewer: Viewer, { turn_id }: Sent, { tool_call_id }: CallView, more: object) =>
    viewer.request('input', { turn_id, tool_call_id, ...more });
  const content = { account: 'GOT-3' };

  it('waits through the loss of gateways and orchestrators, and is answered once, from any device', async () => {
    const [dying, other] = cluster.gateways;
    const [phone, laptop] = [await cluster.view(dying), await cluster.view(other)];
    const sent = await phone.send('call acts__ask with {}');
    await laptop.join(sent.conversation_id);
    const call = await asked(laptop, sent);
    expect(call.question).toMatchObject({ message: 'Which account?', schema: { required: ['account'] } });
    const parked = async () => (await cluster.store.getTurn(sent.turn_id))?.status === 'awaiting_input';
    await waitFor(parked, { what: 'the parked turn', ...PATIENCE });

    await Promise.all([dying!, ...cluster.orchestrators].map((process) => cluster.end(process)));
    await Promise.all([cluster.startAgain(dying!), cluster.add('orchestrator'), cluster.add('orchestrator')]);
    await waitFor(() => phone.socket.connected, { what: 'the phone being back', ...PATIENCE });
    await phone.join(sent.conversation_id);
    const again = await asked(phone, sent);
    const refused = await answer(phone, sent, again, { content: { account: 'NO-1' } });
    expect(refused).toMatchObject({ error: { code: 'invalid' } });
    const before = phone.received.length;
    expect(await answer(laptop, sent, again, { content })).toEqual({});
    expect(await answer(phone, sent, again, { action: 'decline' })).toMatchObject({
      error: { code: 'already_answered' },
    });
    await phone.ended(sent.conversation_id, sent.turn_id, PATIENCE.timeoutMs);
    expect(callOf(phone, sent)).toMatchObject({ state: 'succeeded', result: 'the account is GOT-3' });
    const { answers } = (await cluster.store.readJournal(sent.turn_id))!;
    expect(answers.filter(({ question }) => !question)).toMatchObject([{ content, by: 'local' }]);
    const told = phone.received.slice(before);
    const ofAnswer = told.filter(({ type }) => type === 'input_answered');
    // A turn that is silent is read again now and then: if that is under way just now, a snapshot tells of the answer.
    if (ofAnswer.length > 0 || !told.some(({ type }) => type === 'snapshot'))
      expect(ofAnswer).toMatchObject([{ number: 1, action: 'accept', by: 'local' }]);
  }, 120_000);

  it('may ask again, and is told when the user declines', async () => {
    const ann = await cluster.view();
    const sent = await ann.send('call acts__ask_twice with {}');
    await answer(ann, sent, await asked(ann, sent), { content });
    const second = await asked(ann, sent, 2);
    expect(await answer(ann, sent, second, { action: 'decline', number: 2 })).toEqual({});
    await ann.ended(sent.conversation_id, sent.turn_id, PATIENCE.timeoutMs);
    expect(callOf(ann, sent)!.result).toBe('{"from":"GOT-3","to":"decline"}');
  }, 60_000);

  it('ends when the turn is stopped', async () => {
    const ann = await cluster.view();
    const sent = await ann.send('call acts__ask with {}');
    const call = await asked(ann, sent);
    expect(await ann.request('stop', { turn_id: sent.turn_id })).not.toHaveProperty('error');
    await waitFor(() => callOf(ann, sent)?.state === 'cancelled', { what: 'the stopped call', ...PATIENCE });
    expect(callOf(ann, sent)!.error?.error_details).toEqual({ started: true });
    expect(await answer(ann, sent, call, { content })).toMatchObject({ error: { code: 'not_found' } });
  }, 60_000);

  it('lost with its worker: runs again and finds its answer, or ends as unknown, depending on its class', async () => {
    const ann = await cluster.view();
    await cluster.settled();
    for (const toolset of ['repeats', 'acts']) {
      const sent = await ann.send(`call ${toolset}__ask with {}`);
      const call = await asked(ann, sent);
      await cluster.end(await cluster.ownerOf(call.tool_call_id));
      await cluster.add('tool-worker', worker);
      expect(await answer(ann, sent, call, { content })).toEqual({});
      await ann.ended(sent.conversation_id, sent.turn_id, 60_000);
      const ended = callOf(ann, sent);
      if (toolset === 'acts') expect(ended).toMatchObject({ state: 'unknown', attempt: 1 });
      else expect(ended).toMatchObject({ state: 'succeeded', attempt: 2, result: 'the account is GOT-3' });
      expect((await cluster.store.readJournal(sent.turn_id))!.answers).toHaveLength(2);
    }
  }, 180_000);
});
