import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Channel, type ChannelModel, type ConfirmChannel } from 'amqplib';
import { z } from 'zod';
import { defineTool } from '#tools';
import { createToolWorker } from '../../apps/tool-worker/create-tool-worker.js';
import { root } from '../docs/documents.js';
import { groupUserUrl } from '../services/group-user.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';
import { scrape } from './scraped-metrics.js';
import { checkTranscript } from './transcript-check.js';

/** Of another team, which has credentials for its own group and for nothing else. */
const LAB = `import { defineTool, PermissionError, unchanged, z } from 'switchyard/tools';
const about = (name, more) => ({ name, description: name, class: 'read', timeoutMs: 20_000, ...more });
const echo = defineTool({
  ...about('echo', { input: z.strictObject({ text: z.string() }), class: 'once' }),
  run: ({ text }, { progress }) => {
    progress(1, 2, 'half way');
    if (text === 'refuse') throw new PermissionError('Not that.');
    if (text === 'nothing') return unchanged('There is nothing to say.');
    return text.toUpperCase();
  },
});
const slow = defineTool({
  ...about('slow', { input: z.strictObject({ ms: z.number() }), class: 'once' }),
  run: ({ ms }, { signal }) => new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('slept'), ms);
    signal.addEventListener('abort', () => { clearTimeout(timer); reject(new Error('aborted')); });
  }),
});
const colour = defineTool({
  ...about('colour', { input: z.strictObject({}) }),
  run: async (_args, { ask }) => {
    const schema = { type: 'object', properties: { colour: { type: 'string' } } };
    const { action, content } = await ask({ message: 'Which colour?', schema });
    return action === 'accept' ? content.colour : action;
  },
});
const pile = defineTool({
  ...about('pile', { input: z.strictObject({ bytes: z.number() }) }),
  run: async ({ bytes }, { attach }) => {
    const { size } = await attach({ content: Buffer.alloc(bytes, 7), contentType: 'application/x-pile' });
    return 'x'.repeat(40_000) + size;
  },
});
export default [echo, slow, colour, pile];`;

const GROUP = { name: 'lab-1', toolsets: ['lab', 'pets'] };

describeWithServices(['rabbitmq', 'mongo'], 'a worker of a group', () => {
  let cluster: Cluster;
  let elsewhere: string;
  let worker: SwitchyardProcess;
  let env: Record<string, string>;

  beforeAll(async () => {
    elsewhere = mkdtempSync(join(tmpdir(), 'switchyard-lab-'));
    mkdirSync(join(elsewhere, 'node_modules'));
    mkdirSync(join(elsewhere, 'tools'));
    symlinkSync(root, join(elsewhere, 'node_modules', 'switchyard'));
    writeFileSync(join(elsewhere, 'tools', 'lab.tool.mjs'), LAB);
    cluster = await Cluster.start({
      gateways: [{}],
      orchestrators: [{}, {}],
      workers: [],
      settings: { groups: [GROUP] },
    });
    const own = await groupUserUrl(cluster.broker, GROUP);
    env = {
      RABBITMQ_URL: own.href,
      MONGODB_URL: '',
      WORKER_GROUP: GROUP.name,
      TOOLSETS: 'lab',
      TOOLS_DIR: join(elsewhere, 'tools'),
    };
    worker = await cluster.add('tool-worker', env);
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [rm(elsewhere, { recursive: true, force: true })],
  );

  const isOffered = (tool = 'lab.echo') =>
    waitFor(
      async () => (await (await fetch(`${cluster.gateways[0]!.url}/api/tools`)).text()).includes(tool),
      { what: tool, timeoutMs: 30_000 },
    );

  const ask = async (question: string) => {
    const ann = await cluster.view();
    const sent = await ann.send(question);
    await ann.ended(sent.conversation_id, sent.turn_id);
    await checkTranscript(ann, cluster.gateways[0]!, sent);
    return { ann, ...ann.turn(sent.conversation_id, sent.turn_id)!.steps[0]!.calls[0]! };
  };

  it('runs calls without the store, and viewers see them as those of any worker', async () => {
    await isOffered();
    const { ann, ...call } = await ask('call lab__echo with {"text":"hello"}');
    expect(call).toMatchObject({ state: 'succeeded', result: 'HELLO' });
    expect(call.worker).toMatch(/^worker-lab-1--/);
    expect(ann.events('tool_start')).toHaveLength(1);
    expect(ann.events('tool_progress')).toMatchObject([{ progress: 1, total: 2, message: 'half way' }]);
    expect(await ask('call lab__echo with {"text":"refuse"}')).toMatchObject({
      state: 'failed',
      error: { error_type: 'PermissionError' },
    });
    expect(await ask('call lab__echo with {"text":"nothing"}')).toMatchObject({ status: 'no_change_needed' });
  }, 60_000);

  it('inside another program runs calls, too, and leaves no row', async () => {
    const about = { name: 'feed', description: 'Feeds.', class: 'once', timeoutMs: 5_000 } as const;
    const feed = defineTool({ ...about, input: z.strictObject({}), run: () => 'fed' });
    const embedded = createToolWorker({
      tools: { pets: [feed] },
      rabbitmqUrl: env.RABBITMQ_URL!,
      group: GROUP.name,
      logLevel: 'error',
    });
    await embedded.start();
    await isOffered('pets.feed');
    expect(await ask('call pets__feed with {}')).toMatchObject({ result: 'fed', worker: embedded.id });
    await embedded.stop(0);
    expect((await cluster.store.listProcesses()).map(({ _id }) => _id)).not.toContain(embedded.id);
  }, 60_000);

  it('asks the person of the conversation, and runs on with the answer', async () => {
    const ann = await cluster.view();
    const { conversation_id, turn_id } = await ann.send('call lab__colour with {}');
    const asked = await waitFor(
      () => ann.events('input_required').find((event) => event.turn_id === turn_id),
      {
        what: 'the question',
      },
    );
    const { tool_call_id } = asked;
    const answer = { turn_id, tool_call_id, action: 'accept', content: { colour: 'green' } };
    expect(await ann.request('input', answer)).not.toHaveProperty('error');
    await ann.ended(conversation_id, turn_id);
    expect(ann.turn(conversation_id, turn_id)!.steps[0]!.calls[0]).toMatchObject({ result: 'green' });
  }, 60_000);

  it('keeps artifacts of several parts, and the whole text of a long result', async () => {
    const bytes = 1_500_000;
    const { artifacts } = await ask(`call lab__pile with {"bytes":${bytes}}`);
    expect(artifacts).toMatchObject([{ size: bytes, content_type: 'application/x-pile' }, { whole: true }]);
    const contents = await Promise.all(
      artifacts!.map(async ({ id }) => (await cluster.store.getArtifact(id))?.content ?? ''),
    );
    expect(contents.map((content) => Buffer.from(content, 'base64').byteLength)).toEqual([bytes, 40_007]);
  }, 60_000);

  it('stops a call when its turn is stopped', async () => {
    const ann = await cluster.view();
    const { conversation_id, turn_id } = await ann.send('call lab__slow with {"ms":20000}');
    await waitFor(() => ann.events('tool_start').some((event) => event.turn_id === turn_id), {
      what: 'the start of the call',
    });
    await ann.request('stop', { turn_id });
    const ended = () => ann.turn(conversation_id, turn_id)!.steps[0]!.calls[0];
    await waitFor(() => ended()?.error?.error_type === 'Cancelled', { what: 'the end of the call' });
    expect(ended()).toMatchObject({ worker: expect.stringMatching(/^worker-lab-1--/) });
  }, 60_000);

  it('ends its call although the orchestrator that sent it is killed', async () => {
    const ann = await cluster.view();
    const { conversation_id, turn_id } = await ann.send('call lab__slow with {"ms":1500}');
    await waitFor(() => ann.events('tool_start').some((event) => event.turn_id === turn_id), {
      what: 'the start of the call',
    });
    const driver = await cluster.ownerOf(turn_id);
    await cluster.end(driver);
    await ann.ended(conversation_id, turn_id);
    expect(ann.turn(conversation_id, turn_id)!.steps[0]!.calls[0]).toMatchObject({
      result: 'slept',
      attempt: 1,
    });
    await cluster.startAgain(driver);
  }, 60_000);

  it('finishes its call when it drains, and leaves no row', async () => {
    const ann = await cluster.view();
    const { conversation_id, turn_id } = await ann.send('call lab__slow with {"ms":1500}');
    const started = await waitFor(
      async () => {
        const event = ann.events('tool_start').find((start) => start.turn_id === turn_id);
        return event && (await cluster.store.listClaims(event.tool_call_id))[0]?.owner;
      },
      { what: 'the start of the call' },
    );
    await cluster.end(worker, 'SIGTERM');
    await ann.ended(conversation_id, turn_id);
    expect(ann.turn(conversation_id, turn_id)!.steps[0]!.calls[0]).toMatchObject({ result: 'slept' });
    expect((await cluster.store.listProcesses()).map(({ _id }) => _id)).not.toContain(started);
    worker = await cluster.add('tool-worker', env);
    await isOffered();
  }, 60_000);

  it('that is killed leaves a call of class once unknown', async () => {
    const ann = await cluster.view();
    const { conversation_id, turn_id } = await ann.send('call lab__slow with {"ms":15000}');
    await waitFor(() => ann.events('tool_start').some((event) => event.turn_id === turn_id), {
      what: 'the start of the call',
    });
    await cluster.end(worker);
    await ann.ended(conversation_id, turn_id, 40_000);
    expect(ann.turn(conversation_id, turn_id)!.steps[0]!.calls[0]).toMatchObject({
      error: { error_type: 'OutcomeUnknown' },
    });
    worker = await cluster.add('tool-worker', env);
    await isOffered();
  }, 90_000);

  describe('whose credentials are stolen', () => {
    let thief: ChannelModel;
    let channels: Channel[];
    beforeAll(async () => {
      thief = await connect(env.RABBITMQ_URL!);
      thief.on('error', () => undefined);
      channels = [];
    });
    afterAll(() => thief.close());

    /** On a channel of its own: the broker closes it with a refusal. */
    const attempt = async (act: (channel: ConfirmChannel) => Promise<unknown>): Promise<string> => {
      const channel = await thief.createConfirmChannel();
      channels.push(channel);
      const refused = new Promise<string>((resolve) =>
        channel.on('error', (error: Error) => resolve(error.message)),
      );
      return Promise.race([
        refused,
        act(channel).then(
          () => 'allowed',
          (error: Error) => error.message,
        ),
      ]);
    };
    const publish = (exchange: string, key: string, body: object = {}) =>
      attempt(async (channel) => {
        channel.publish(exchange, key, Buffer.from(JSON.stringify(body)));
        await channel.waitForConfirms();
      });

    it('reads no call, result, event or control message of others', async () => {
      const queue = 'worker.lab-1.thief';
      expect(await attempt((channel) => channel.assertQueue(queue, { exclusive: true }))).toBe('allowed');
      const binds = ['switchyard.control', 'switchyard.commands', 'switchyard.dead', 'switchyard.events.0'];
      for (const exchange of binds)
        expect(await attempt((channel) => channel.bindQueue(queue, exchange, 'orchestrator.all'))).toMatch(
          /403/,
        );
      for (const other of ['turns', 'results', 'dead-letters', 'tools.math', 'ledger.lab-1.calls'])
        expect(await attempt((channel) => channel.consume(other, () => undefined))).toMatch(/403|404/);
    });

    it('writes nowhere but to the ledger of its group', async () => {
      const exchanges = [
        'switchyard.commands',
        'switchyard.control',
        'switchyard.dead',
        'switchyard.events.0',
      ];
      for (const exchange of [...exchanges, 'switchyard.control.lab-1', 'switchyard.ledger.other', ''])
        expect(await publish(exchange, 'turns')).toMatch(/403|404/);
      expect(await attempt((channel) => channel.assertExchange('own', 'direct'))).toMatch(/403/);
      expect(await attempt((channel) => channel.deleteQueue('tools.lab'))).toMatch(/403/);
    });

    it('ends no call that it was not sent, offers no toolset of others, and acts for no other process', async () => {
      const me = 'worker-lab-1--thief';
      const send = (type: string, body: object) =>
        publish('switchyard.ledger.lab-1', 'calls', {
          id: randomUUID(),
          type,
          version: '1.0.0',
          at: new Date().toISOString(),
          body: { request_id: randomUUID(), worker: me, ...body },
        });
      const ann = await cluster.view();
      const { conversation_id, turn_id } = await ann.send('call lab__slow with {"ms":1000}');
      const { tool_call_id } = await waitFor(
        () => ann.events('tool_start').find((event) => event.turn_id === turn_id),
        { what: 'the start of the call' },
      );
      const call = {
        ...{ tool_call_id, turn_id, conversation_id, n: 1, user_id: 'local', tool_name: 'lab.slow' },
        ...{ class: 'once', reply_to: 'orchestrator.all', token: '0'.repeat(64) },
      };
      const result = { status: 'success', data: { text: 'stolen' }, error: null, explanation: null };
      const settled = { call, attempt: 1, duration_ms: 1, at: new Date().toISOString(), result };
      await send('ledger.settle', settled);
      await send('ledger.refuse', { call, result, unclaimed: false });
      await send('ledger.settle', { ...settled, worker: worker.log.match(/worker-lab-1--[\w-]+/)![0] });
      const tool = {
        own_name: 'add',
        description: '',
        input_schema: {},
        class: 'read',
        timeout_ms: 1,
        hash: 'x',
      };
      const toolset = { name: 'math', source: 'local', server: 'math', version: '9.0.0' };
      await send('ledger.announce', { toolsets: [{ ...toolset, tools: [{ ...tool, name: 'math.add' }] }] });
      await send('ledger.announce', {
        toolsets: [{ ...toolset, name: 'lab', tools: [{ ...tool, name: 'math.add' }] }],
      });
      const someone = cluster.orchestrators[0]!.log.match(/orchestrator-[\w-]+/)![0];
      await send('ledger.leave', { worker: someone });
      await send('ledger.leave', { worker: 'worker-other--1' });
      await send('ledger.pulse', { orchestrator: someone, beats: { other: 1_000 } });
      await publish('switchyard.ledger.lab-1', 'calls', { garbage: true });
      await send('ledger.progress', { call, number: 1, progress: 1 });
      await ann.ended(conversation_id, turn_id);
      expect(ann.turn(conversation_id, turn_id)!.steps[0]!.calls[0]).toMatchObject({ result: 'slept' });
      const refused = () => cluster.orchestrators.map(({ log }) => log).join('\n');
      await waitFor(() => (refused().match(/The token of the call is not valid/g) ?? []).length >= 3, {
        what: 'the refusals',
      });
      const offered = await (await fetch(`${cluster.gateways[0]!.url}/api/tools`)).text();
      expect(offered).not.toContain('math.add');
      const rows = await cluster.store.listProcesses();
      expect(rows.find(({ _id }) => _id === someone)?.ledger_beats).not.toHaveProperty('other');
      expect(await cluster.store.listDeadLetters(10)).toEqual([]);
      const drops = 'switchyard_ledger_drops_total{reason=';
      const results = 'switchyard_ledger_requests_total{result=';
      const counts = () => scrape(cluster.orchestrators);
      const isCounted = async () => (await counts()).get(`${drops}"unreadable"}`) === 1;
      await waitFor(isCounted, { what: 'the count of garbage' });
      const counted = await counts();
      // In the name of an orchestrator, of another group's worker, and an orchestrator's own beat.
      expect(counted.get(`${drops}"foreign"}`)).toBe(3);
      // Three ends of the call, two offers, one sign of progress.
      expect(counted.get(`${results}"refused"}`)).toBe(6);
      expect(counted.get(`${results}"served"}`)).toBeGreaterThan(0);
    }, 60_000);
  });
});
