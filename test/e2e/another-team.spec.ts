import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readDocument, root } from '../docs/documents.js';
import { Child, runCommand } from '../services/child.js';
import { groupUserUrl } from '../services/group-user.js';
import { installToolWorker, type InstalledWorker } from '../services/installed-worker.js';
import { hasPythonPackages, PYTHON_PACKAGES } from '../services/python-packages.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';

const INSTALL_MS = 240_000;
const EXAMPLE = 'examples/another-team';
const GROUP = { name: 'harbour', toolsets: ['tides', 'berths'] };

describeWithServices(['rabbitmq', 'mongo'], 'the repository of another team', () => {
  let installed: InstalledWorker;
  let cluster: Cluster;
  let env: Record<string, string>;
  const workers: Child[] = [];

  beforeAll(
    async () => {
      installed = await installToolWorker();
      for (const name of ['src', 'tsconfig.json', 'berths.py'])
        cpSync(join(root, EXAMPLE, name), join(installed.folder, name), { recursive: true });
      cluster = await Cluster.start({
        gateways: [{}],
        orchestrators: [{}],
        workers: [],
        settings: { groups: [GROUP] },
      });
      const own = await groupUserUrl(cluster.broker, GROUP);
      env = { PATH: process.env.PATH ?? '', RABBITMQ_URL: own.href, WORKER_GROUP: GROUP.name };
    },
    serviceStartTimeoutMs + CLUSTER_START_MS + INSTALL_MS,
  );

  endCluster(
    () => cluster,
    () => [installed?.remove()],
  );
  afterAll(() => Promise.all(workers.map((worker) => worker.terminate(20_000))));

  const start = (command: string[], more: Record<string, string> = {}) =>
    workers.push(
      new Child('worker of another team', command[0]!, command.slice(1), {
        cwd: installed.folder,
        env: { ...env, ...more },
      }),
    );

  /** In a conversation that began before the tool was there. */
  const usesNext = async (start: () => void, tool: string, question: string) => {
    const ann = await cluster.view();
    const { conversation_id, turn_id } = await ann.send(question);
    const before = await ann.ended(conversation_id, turn_id);
    expect(before.steps[0]!.calls).toEqual([]);
    start();
    await waitFor(
      async () => (await (await fetch(`${cluster.gateways[0]!.url}/api/tools`)).text()).includes(tool),
      { what: tool, timeoutMs: 30_000 },
    );
    const next = await ann.send(question, { conversation_id });
    const { steps } = await ann.ended(conversation_id, next.turn_id);
    return steps[0]!.calls[0]!;
  };
  const question = (of: string) =>
    new RegExp('`(call ' + of + '[^`]+)`').exec(readDocument(`${EXAMPLE}/README.md`))![1]!;

  it('adds a tool in TypeScript to a running system with the credentials of its group', async () => {
    await runCommand(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        '-p',
        installed.folder,
        '--typeRoots',
        join(root, 'node_modules/@types'),
      ],
      {
        cwd: installed.folder,
        env,
      },
    );
    const { scripts } = JSON.parse(readDocument(`${EXAMPLE}/package.json`)) as { scripts: { check: string } };
    const [, ...words] = scripts.check.split(' ');
    await runCommand(installed.command, words, { cwd: installed.folder, env: { PATH: env.PATH! } });
    const call = await usesNext(
      () => start([installed.command], { TOOLS_DIR: 'build', PORT: '0' }),
      'tides.high_water',
      question('tides'),
    );
    expect(call).toMatchObject({ state: 'succeeded', result: '{"harbour":"Hamburg","hours":[4,16]}' });
    expect(call.worker).toMatch(/^worker-harbour--/);
  }, 120_000);

  const itInPython = hasPythonPackages ? it : it.skip;
  itInPython(
    'adds one in Python beside it',
    async () => {
      const call = await usesNext(
        () => start(['python3', 'berths.py'], { PYTHONPATH: PYTHON_PACKAGES }),
        'berths.free',
        question('berths'),
      );
      expect(call).toMatchObject({ state: 'succeeded', result: '{"harbour":"Bergen","free":0}' });
      expect(call.worker).toMatch(/^worker-harbour--/);
    },
    60_000,
  );
});
