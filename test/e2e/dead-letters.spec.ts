import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type ChannelModel, type ConfirmChannel } from 'amqplib';
import mongoose from 'mongoose';
import { encodeMessage, letterReasonOf, MAX_MESSAGE_BYTES, newMessage, type DeadLetter } from '#contracts';
import { exchanges } from '#messaging';
import { systemTime } from '#time';
import { builtProgram } from '../services/built.js';
import { runCommand } from '../services/child.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { checkCaches } from '../faults/check-turn.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { Gates } from './gates.js';
import { deepArray } from './unharmed.js';

const LONG_MS = 120_000;

/** `npm run switchyard -- …`: what it printed, or its complaint. */
async function switchyard(url: string, ...command: string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? '' };
  return runCommand(
    process.execPath,
    [builtProgram('switchyard'), '--url', url, 'dead-letters', ...command],
    { env },
  );
}

describe('the command line', () => {
  it('reports that no gateway is reachable, and what to do', async () => {
    await expect(switchyard('http://127.0.0.1:9', 'list')).rejects.toThrow(
      /No gateway answers at http:\/\/127\.0\.0\.1:9 \(.*\)\. Is it running\? Give its address with --url\./,
    );
  });
});

describeWithServices(['rabbitmq', 'mongo'], 'dead letters of real processes', () => {
  let gates: Gates;
  let cluster: Cluster;
  let connection: ChannelModel;
  let channel: ConfirmChannel;

  beforeAll(async () => {
    gates = await Gates.create();
    const worker = { MCP_CONFIG: await gates.mcpConfig({ effects: 'once' }) };
    cluster = await Cluster.start({ gateways: [{}], orchestrators: [{}], workers: [worker] });
    connection = await connect(cluster.broker.url);
    connection.on('error', () => undefined);
    channel = await connection.createConfirmChannel();
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  afterEach(() => cluster?.closeViewers());

  afterAll(async () => {
    // With the test's virtual host it may be gone already.
    await connection?.close().catch(() => undefined);
    await cluster?.stop();
    await gates?.remove();
  }, 60_000);

  const publish = async (queue: string, content: Buffer): Promise<void> => {
    channel.publish(exchanges.commands, queue, content, { persistent: true, messageId: 'poison' });
    await channel.waitForConfirms();
  };

  const letters = (): Promise<DeadLetter[]> => cluster.store.listDeadLetters(500);

  const checkHealthy = async (): Promise<void> => {
    const viewer = await cluster.view();
    const { conversation_id, turn_id } = await viewer.send('what is 17 + 25?');
    expect((await viewer.ended(conversation_id, turn_id, LONG_MS)).status).toBe('completed');
    expect(viewer.text(conversation_id, turn_id)).toContain('42');
  };

  it(
    'poison messages of every kind are stored with their reason, and work continues',
    async () => {
      const hint = newMessage(systemTime(), 'turn.advance', { turn_id: 'turn_x', conversation_id: 'conv_x' });
      const call = { ...hint, type: 'tool.call', body: callBody('nope.tool') };
      const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
      const poison: [string, Buffer, string][] = [
        ['turns', Buffer.from('{"id":'), 'rejected: not JSON'],
        ['turns', Buffer.from(`{"body":${deepArray}}`), 'rejected: deeper than 32 levels'],
        [
          'turns',
          Buffer.alloc(MAX_MESSAGE_BYTES + 1, 'x'),
          `rejected: larger than ${MAX_MESSAGE_BYTES} bytes`,
        ],
        ['turns', json({ ...hint, version: '2.0.0' }), 'rejected: version: unsupported version'],
        ['turns', json({ ...hint, type: 'turn.nope' }), 'rejected: type turn.nope does not belong here'],
        ['tools.math', encodeMessage(hint), 'rejected: type turn.advance does not belong here'],
        ['tools.math', json(call), 'rejected: this worker has no tool nope.tool'],
      ];
      for (const [queue, content] of poison) await publish(queue, content);
      const isComplete = async () => (await letters()).length >= poison.length;
      // What is missing then shows in the comparison.
      await waitFor(isComplete, { what: 'the letters', timeoutMs: 30_000 }).catch(() => undefined);
      const kept = (await letters()).map(({ queue, reason }) => `${queue} ${reason}`).sort();
      expect(kept).toEqual(poison.map(([queue, , reason]) => `${queue} ${reason}`).sort());
      const listed = await switchyard(cluster.gateways[0]!.url, 'list');
      for (const [, , reason] of poison) expect(listed).toContain(letterReasonOf(reason));
      await checkHealthy();
    },
    LONG_MS,
  );

  it(
    'a turn whose every hint dies ends with an error that its viewer sees',
    async () => {
      const viewer = await cluster.view();
      const first = await viewer.send('call effects__hold with {"name":"before"}');
      await gates.started('before');
      const second = await viewer.send('what is 1 + 1?', { conversation_id: first.conversation_id });
      const { connection: mongo, title } = await breakTitle(cluster, first.conversation_id);
      gates.open('before');
      const end = await viewer.ended(second.conversation_id, second.turn_id, LONG_MS / 2);
      const message = expect.stringMatching(/4 attempts failed/);
      expect(end).toMatchObject({ status: 'failed', error: { code: 'internal', message } });
      const own = await cluster.store.listDeadLettersOfTurn(second.turn_id, 50);
      // A hint that came twice may have died twice.
      expect(own.length).toBeGreaterThanOrEqual(4);
      for (const { reason } of own) expect(reason).toMatch(/^rejected: handler failed: UnreadableRowError$/);
      await mongo
        .collection('conversations')
        .updateOne({ _id: first.conversation_id as never }, { $set: { title } });
      await mongo.close();
      const third = await viewer.send('what is 2 + 2?', { conversation_id: first.conversation_id });
      expect((await viewer.ended(third.conversation_id, third.turn_id, LONG_MS / 2)).status).toBe(
        'completed',
      );
    },
    LONG_MS,
  );

  it(
    'replaying a settled message changes nothing, even twice at once; an unreadable one is refused',
    async () => {
      const { url } = cluster.gateways[0]!;
      const viewer = await cluster.view();
      gates.open('settled');
      const sent = await viewer.send('call effects__hold with {"name":"settled"}');
      expect((await viewer.ended(sent.conversation_id, sent.turn_id, LONG_MS / 2)).status).toBe('completed');
      const journal = (await cluster.store.readJournal(sent.turn_id))!;
      const [{ tool_call_id, tool_name, arguments: args }] = journal.steps[0]!.calls as [never];
      const body = { ...callBody(tool_name), ...sent, tool_call_id, arguments: args, user_id: 'local' };
      const hint = newMessage(systemTime(), 'turn.advance', sent);
      const letter = { reason: 'delivery_limit', message_id: 'm', at: new Date().toISOString() };
      const call = JSON.stringify({ ...hint, type: 'tool.call', body });
      await cluster.store.putDeadLetter({ _id: 'call', queue: 'tools.effects', content: call, ...letter });
      await cluster.store.putDeadLetter({
        _id: 'hint',
        queue: 'turns',
        content: JSON.stringify(hint),
        ...letter,
      });
      await cluster.store.putDeadLetter({ _id: 'junk', queue: 'turns', content: '{', ...letter });
      // The caches in its row are written after the viewer was told.
      await checkCaches(cluster.store, sent.turn_id, 'completed');
      const before = await cluster.store.readJournal(sent.turn_id);

      const answers = await Promise.all(
        ['call', 'call', 'hint', 'hint'].map((id) => switchyard(url, 'replay', id)),
      );
      expect(answers[0]).toBe('A hint about its turn was sent.\n');
      gates.open('later');
      const later = await viewer.send('call effects__hold with {"name":"later"}');
      await viewer.ended(later.conversation_id, later.turn_id, LONG_MS / 2);
      expect(gates.starts('later')).toBe(1);
      expect(gates.starts('settled')).toBe(1);
      expect(await cluster.store.readJournal(sent.turn_id)).toEqual(before);
      expect(await switchyard(url, 'show', 'call')).toMatch(/replayed_by +local/);

      await expect(switchyard(url, 'replay', 'junk')).rejects.toThrow(/cannot be replayed: not JSON/);
      expect(await switchyard(url, 'discard', 'junk')).toBe('Discarded.\n');
      await expect(switchyard(url, 'show', 'junk')).rejects.toThrow(/There is nothing with this id/);
    },
    LONG_MS,
  );
});

/** A row that no orchestrator can read. */
async function breakTitle(cluster: Cluster, conversationId: string) {
  const connection = await mongoose.createConnection(cluster.mongodbUrl).asPromise();
  const query = { _id: conversationId as never };
  const found = await connection.collection('conversations').findOne(query);
  await connection.collection('conversations').updateOne(query, { $set: { title: '{' } });
  return { connection, title: found?.title as string };
}

function callBody(toolName: string) {
  return {
    tool_call_id: `call_${'0'.repeat(22)}`,
    turn_id: 'turn_x',
    conversation_id: 'conv_x',
    n: 1,
    user_id: 'ann',
    tool_name: toolName,
    arguments: {},
    class: 'once',
    timeout_ms: 30_000,
    deadline: new Date(Date.now() + 60_000).toISOString(),
    reply_to: 'orchestrator.00000000-0000-4000-8000-000000000000',
  };
}
