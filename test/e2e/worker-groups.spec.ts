import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { rightsOf } from '#messaging';
import { root } from '../docs/documents.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';
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

const GROUP = { name: 'lab-1', toolsets: ['lab'] };

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
    const { management, vhost, url } = cluster.broker;
    const user = `lab-${vhost}`;
    await management.request('PUT', `/api/users/${user}`, { password: 'secret', tags: '' });
    await management.request('PUT', `/api/permissions/${vhost}/${user}`, rightsOf(GROUP));
    const own = new URL(url);
    Object.assign(own, { username: user, password: 'secret' });
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

  const isOffered = () =>
    waitFor(
      async () =>
        JSON.stringify(await (await fetch(`${cluster.gateways[0]!.url}/api/tools`)).json()).includes(
          'lab.echo',
        ),
      { what: 'the tools of the lab', timeoutMs: 30_000 },
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
});
