import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, expect, it } from '@jest/globals';
import type { Snapshot, View } from '#contracts';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';
import { Gates } from './gates.js';
import { numbersTo } from './numbers.js';
import { checkTranscript } from './transcript-check.js';
import type { Viewer } from './viewer.js';

const START_MS = serviceStartTimeoutMs + CLUSTER_START_MS;
/** Some seconds of counting: in the middle of it there is time to do something else, also on a busy machine. */
const FAR = 400;

describeWithServices(['rabbitmq', 'mongo'], 'two gateways, two orchestrators and two tool workers', () => {
  let gates: Gates;
  let cluster: Cluster;

  beforeAll(async () => {
    gates = await Gates.create();
    const worker = { MCP_CONFIG: await gates.mcpConfig({ gate: 'once' }) };
    cluster = await Cluster.start({ workers: [worker, worker] });
  }, START_MS);

  endCluster(
    () => cluster,
    () => [gates?.remove()],
  );

  const viewers = async (): Promise<[Viewer, Viewer]> => {
    const [a, b] = cluster.gateways;
    return Promise.all([cluster.view(a), cluster.view(b)]);
  };

  it('a viewer at another gateway reads the answer token by token', async () => {
    const [ann, bob] = await viewers();
    const first = await ann.send('hello');
    await ann.ended(first.conversation_id, first.turn_id);
    await bob.join(first.conversation_id);
    const sent = await ann.send(`count to ${FAR}`, { conversation_id: first.conversation_id });
    const early = await bob.reads(sent.conversation_id, sent.turn_id);
    const count = numbersTo(FAR);
    expect(count.startsWith(early)).toBe(true);
    expect(early.length).toBeLessThan(count.length);
    await Promise.all([ann, bob].map((viewer) => viewer.ended(sent.conversation_id, sent.turn_id)));
    for (const viewer of [ann, bob]) expect(viewer.text(sent.conversation_id, sent.turn_id)).toBe(count);
    expect(bob.events('token').filter(({ turn_id }) => turn_id === sent.turn_id).length).toBeGreaterThan(10);
    await checkTranscript(bob, cluster.gateways[0]!, sent);
    await checkTranscript(ann, cluster.gateways[1]!, sent);
  });

  it('the calls of MCP clients, at any gateway, run through the same queues', async () => {
    const results = await Promise.all(
      cluster.gateways.map(async ({ url }, i) => {
        const client = new Client({ name: 'test', version: '1.0.0' });
        await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
        const result = await client.callTool({ name: 'math__add', arguments: { a: i, b: 40 } });
        await client.close();
        return result.content;
      }),
    );
    expect(results).toEqual([[{ type: 'text', text: '40' }], [{ type: 'text', text: '41' }]]);
    const logged = () => cluster.workers.flatMap(({ log }) => log.match(/"tool":"math.add"/g) ?? []);
    await waitFor(() => logged().length >= 2, { what: 'the lines of both calls' });
    expect(logged()).toHaveLength(2);
  });

  it('50 conversations at once finish, with work for both workers', async () => {
    const both = await viewers();
    const sent = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const viewer = both[i % 2]!;
        return { viewer, i, ...(await viewer.send(`what is ${i} + ${2 * i}?`)) };
      }),
    );
    const ends = await Promise.all(
      sent.map(async ({ viewer, i, conversation_id, turn_id }) => ({
        i,
        turn: await viewer.ended(conversation_id, turn_id, 40_000),
      })),
    );
    for (const { i, turn } of ends) {
      expect(turn.status).toBe('completed');
      expect(turn.steps[0]?.calls[0]).toMatchObject({
        state: 'succeeded',
        result: String(3 * i),
        attempt: 1,
      });
    }
    const workers = ends.map(({ turn }) => turn.steps[0]?.calls[0]?.worker);
    expect(new Set(workers).size).toBe(2);
    for (const one of [sent[0]!, sent[49]!]) await checkTranscript(one.viewer, cluster.gateways[0]!, one);
  }, 60_000);

  it('a viewer who joins in mid-stream gets the text so far and then the rest', async () => {
    const [ann, bob] = await viewers();
    const sent = await ann.send(`count to ${FAR}`);
    const { conversation_id, turn_id } = sent;
    await ann.reads(conversation_id, turn_id, 30);
    await bob.join(conversation_id);
    // Of a driver that is busy for longer than a join waits for it, the text comes with a second snapshot.
    await bob.reads(conversation_id, turn_id, 30);
    const told = () =>
      bob.received.findIndex((event) => event.type === 'snapshot' && textIn(event.view, turn_id) !== '');
    const snapshot = bob.received[told()] as Snapshot;
    const partial = textIn(snapshot.view, turn_id);
    expect(partial.length).toBeGreaterThan(0);
    expect(partial.length).toBeLessThan(numbersTo(FAR).length);
    await bob.ended(conversation_id, turn_id);
    expect(bob.text(conversation_id, turn_id)).toBe(numbersTo(FAR));
    // Everything after that snapshot came as tokens, none of it a second time.
    const rest = bob.received
      .slice(told())
      .flatMap((event) => (event.type === 'token' ? [event.content] : []));
    expect(partial + rest.join('')).toBe(numbersTo(FAR));
    await checkTranscript(bob, cluster.gateways[0]!, sent);
  });

  it('the model remembers earlier messages, whichever gateway receives the next one', async () => {
    const [ann, bob] = await viewers();
    const first = await ann.send('My name is Ada');
    const { conversation_id } = first;
    await ann.ended(conversation_id, first.turn_id);
    const second = await bob.send('what did I say before?', { conversation_id });
    await bob.ended(conversation_id, second.turn_id);
    expect(bob.text(conversation_id, second.turn_id)).toContain('Ada');
    const third = await ann.send('what is 2 + 3?', { conversation_id });
    await ann.ended(conversation_id, third.turn_id);
    const fourth = await bob.send('what was the last result?', { conversation_id });
    await bob.ended(conversation_id, fourth.turn_id);
    expect(bob.text(conversation_id, fourth.turn_id)).toContain('5');
    expect(ann.view(conversation_id).turns.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    for (const sent of [first, second, third, fourth]) await checkTranscript(bob, cluster.gateways[0]!, sent);
  });

  it('ten copies of the very first message, through both gateways, are one turn', async () => {
    const [ann, bob] = await viewers();
    const client_message_id = randomUUID();
    const copies = Array.from({ length: 10 }, (_, i) =>
      (i % 2 ? ann : bob).send('what is 6 + 7?', { client_message_id }),
    );
    const answers = await Promise.all(copies);
    const [sent] = answers;
    for (const answer of answers) expect(answer).toEqual(sent);
    for (const viewer of [ann, bob]) await viewer.ended(sent!.conversation_id, sent!.turn_id);
    const later = await bob.send('what is 6 + 7?', { client_message_id });
    expect(later).toEqual(sent);
    expect(ann.view(sent!.conversation_id).turns).toHaveLength(1);
    expect(ann.turn(sent!.conversation_id, sent!.turn_id)?.steps[0]?.calls).toHaveLength(1);
    await checkTranscript(ann, cluster.gateways[1]!, sent!);
  });

  it('a message resent in a known conversation is one turn', async () => {
    const [ann, bob] = await viewers();
    const { conversation_id, turn_id } = await ann.send('hello');
    const copy = { conversation_id, client_message_id: randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 ? ann : bob).send('hi', copy)),
    );
    expect(new Set(answers.map((answer) => answer.turn_id)).size).toBe(1);
    await ann.ended(conversation_id, answers[0]!.turn_id);
    expect(ann.view(conversation_id).turns.map((turn) => turn.turn_id)).toEqual([
      turn_id,
      answers[0]!.turn_id,
    ]);
  });

  it('a message sent to a busy conversation runs after the previous turn', async () => {
    const [ann, bob] = await viewers();
    const first = await ann.send('call gate__hold with {"name":"busy"}');
    const { conversation_id } = first;
    await gates.started('busy');
    const second = await bob.send('what is 4 + 4?', { conversation_id });
    await waitFor(() => ann.turn(conversation_id, second.turn_id), { what: 'the second turn in line' });
    expect(ann.turn(conversation_id, second.turn_id)?.status).toBe('queued');
    gates.open('busy');
    const after = await ann.ended(conversation_id, second.turn_id);
    const before = await ann.ended(conversation_id, first.turn_id);
    expect(Date.parse(after.started_at!)).toBeGreaterThanOrEqual(Date.parse(before.ended_at!));
    for (const sent of [first, second]) await checkTranscript(ann, cluster.gateways[1]!, sent);
  });

  it('the partial text is kept when a turn is stopped through the other gateway', async () => {
    const [ann, bob] = await viewers();
    const sent = await ann.send('count to 2000');
    const { conversation_id, turn_id } = sent;
    await bob.join(conversation_id);
    await ann.reads(conversation_id, turn_id, 40);
    expect(await bob.request('stop', { turn_id })).toEqual({ may_be_running: [] });
    for (const viewer of [ann, bob]) {
      const turn = await viewer.ended(conversation_id, turn_id);
      expect(turn.status).toBe('cancelled');
      expect(turn.steps).toHaveLength(1);
      expect(turn.steps[0]!.text.length).toBeGreaterThanOrEqual(40);
      expect(numbersTo(2000).startsWith(turn.steps[0]!.text)).toBe(true);
    }
    await checkTranscript(ann, cluster.gateways[1]!, sent);
    await checkTranscript(bob, cluster.gateways[0]!, sent);
    expect(await ann.request('stop', { turn_id })).toEqual({ may_be_running: [] });
    const next = await bob.send('what is 1 + 1?', { conversation_id });
    expect((await bob.ended(conversation_id, next.turn_id)).status).toBe('completed');
    await checkTranscript(ann, cluster.gateways[1]!, next);
  });

  it('a stopped queued turn never runs, and the next one continues', async () => {
    const [ann, bob] = await viewers();
    const running = await ann.send('call gate__hold with {"name":"ahead"}');
    const { conversation_id } = running;
    await gates.started('ahead');
    const queued = await ann.send('what is 5 + 5?', { conversation_id });
    const last = await bob.send('what is 7 + 7?', { conversation_id });
    await bob.request('stop', { turn_id: queued.turn_id });
    const stopped = await ann.ended(conversation_id, queued.turn_id);
    expect(stopped).toMatchObject({ status: 'cancelled', steps: [] });
    expect(ann.turn(conversation_id, running.turn_id)?.status).toBe('running');
    gates.open('ahead');
    expect((await ann.ended(conversation_id, last.turn_id)).status).toBe('completed');
    expect(ann.turn(conversation_id, running.turn_id)?.status).toBe('completed');
    for (const sent of [running, queued, last]) await checkTranscript(ann, cluster.gateways[1]!, sent);
  });

  it('stopping a turn during a tool call reaches the worker', async () => {
    const [ann, bob] = await viewers();
    const sent = await ann.send('call gate__hold with {"name":"stopped"}');
    const { conversation_id, turn_id } = sent;
    await gates.started('stopped');
    const answer = await bob.request('stop', { turn_id });
    const { tool_call_id } = (await ann.ended(conversation_id, turn_id)).steps[0]!.calls[0]!;
    // A tool that obeyed before the answer was made is not running any more.
    const named = (answer as { may_be_running: string[] }).may_be_running;
    if (named.length === 0) expect(await cluster.store.getOutcome(tool_call_id)).not.toBeNull();
    else expect(named).toEqual([tool_call_id]);
    const callOf = () => ann.turn(conversation_id, turn_id)?.steps[0]?.calls[0];
    await waitFor(() => callOf()?.state === 'cancelled', { what: 'the end of the call' });
    expect(callOf()?.error).toMatchObject({ error_type: 'Cancelled', error_details: { started: true } });
    await waitFor(() => gates.cancels('stopped') === 1, { what: 'the tool being told' });
    await checkTranscript(ann, cluster.gateways[1]!, sent);
    const next = await bob.send('what is 1 + 2?', { conversation_id });
    expect((await bob.ended(conversation_id, next.turn_id)).status).toBe('completed');
  });

  it('every queue is empty at the end, and named as designed', async () => {
    const { management, vhost } = cluster.broker;
    const isQuiet = async () => {
      const queues = await management.listQueues(vhost);
      return queues.every((queue) => queue.messages === 0) ? queues : undefined;
    };
    const queues = await waitFor(isQuiet, { what: 'empty queues', timeoutMs: 15_000 });
    const durable = queues.filter((queue) => queue.durable);
    expect(durable.map(({ name }) => name).sort()).toEqual(
      [
        ...['artifacts', 'gate', 'http', 'knowledge', 'math', 'memory', 'time', 'web'].map(
          (toolset) => `tools.${toolset}`,
        ),
        ...['dead-letters', 'results', 'turns'],
      ].sort(),
    );
    expect(durable.every(({ type }) => type === 'quorum')).toBe(true);
    const own = queues.filter((queue) => !queue.durable).map(({ name }) => name);
    const id = '[0-9a-f-]{36}';
    const patterns = ['gateway', 'orchestrator', 'worker'].map(
      (role) => new RegExp(`^${role}\\.${id}\\.control\\..+$`),
    );
    for (const pattern of patterns) expect(own.filter((name) => pattern.test(name))).toHaveLength(2);
    expect(own.filter((name) => new RegExp(`^gateway\\.${id}\\.events\\..+$`).test(name))).toHaveLength(2);
    expect(own).toHaveLength(8);
  });
});

function textIn(view: View, turnId: string): string {
  return view.turns.find((turn) => turn.turn_id === turnId)?.steps.at(-1)?.text ?? '';
}
