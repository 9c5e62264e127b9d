import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../docs/documents.js';
import { builtFolder } from '../services/built.js';
import { Child } from '../services/child.js';
import { groupUserUrl } from '../services/group-user.js';
import { installToolWorker, withPackageImports, type InstalledWorker } from '../services/installed-worker.js';
import { hasPythonPackages, PYTHON_PACKAGES } from '../services/python-packages.js';
import { describeWithServices, rabbitmqForTest, serviceStartTimeoutMs } from '../services/test-services.js';

const SUITE_MS = 300_000;
const GROUP = { name: 'contract', toolsets: ['contract'] };
const describePython = hasPythonPackages ? describe : describe.skip;

interface Result {
  title: string;
  problem?: string;
  output?: string;
}

describeWithServices(['rabbitmq'], 'switchyard worker-contract', () => {
  let broker: NonNullable<Awaited<ReturnType<typeof rabbitmqForTest>>>;
  let workerUrl: string;

  beforeAll(async () => {
    broker = (await rabbitmqForTest())!;
    workerUrl = (await groupUserUrl(broker, GROUP)).href;
  }, serviceStartTimeoutMs);

  /** With no other rights than those of a group. */
  const tryWorker = async (
    command: string[],
    environment: Record<string, string> = {},
    more: string[] = [],
  ) => {
    const options = ['worker-contract', '--json', '--worker-url', workerUrl, ...more, '--', ...command];
    const suite = new Child(
      'worker contract',
      process.execPath,
      [join(builtFolder, 'bin/switchyard.js'), ...options],
      {
        cwd: root,
        env: { PATH: process.env.PATH ?? '', RABBITMQ_URL: broker.url, ...environment },
      },
    );
    const { code } = await suite.exit;
    const results = JSON.parse(suite.log) as Result[];
    return { code, results, broken: results.filter(({ problem }) => problem !== undefined) };
  };

  it(
    'is kept by our own worker',
    async () => {
      const { code, results, broken } = await tryWorker(
        [process.execPath, join(builtFolder, 'bin/tool-worker.js')],
        { TOOLS_DIR: join(root, 'examples/tool-worker/contract'), PORT: '0', LOG_LEVEL: 'warn' },
      );
      expect(broken).toEqual([]);
      expect([code, results.length]).toEqual([0, 34]);
    },
    SUITE_MS,
  );

  describe('the package of our worker, installed elsewhere', () => {
    let installed: InstalledWorker;

    beforeAll(async () => {
      installed = await installToolWorker();
      const tools = join(installed.folder, 'tools');
      mkdirSync(tools);
      const contract = 'contract.tool.mjs';
      const example = join(root, 'examples/tool-worker/contract', contract);
      writeFileSync(join(tools, contract), withPackageImports(example));
    }, SUITE_MS);
    afterAll(() => installed?.remove());

    it(
      'keeps it',
      async () => {
        const TOOLS_DIR = join(installed.folder, 'tools');
        const settings = { TOOLS_DIR, PORT: '0', LOG_LEVEL: 'warn' };
        const { code, results, broken } = await tryWorker([installed.command], settings);
        expect(broken).toEqual([]);
        expect([code, results.length]).toEqual([0, 34]);
      },
      SUITE_MS,
    );
  });

  describePython('the worker in Python', () => {
    const contract = join(root, 'examples/python-worker/contract.py');

    it(
      'keeps it',
      async () => {
        const { code, broken } = await tryWorker(['python3', contract], { PYTHONPATH: PYTHON_PACKAGES });
        expect(broken).toEqual([]);
        expect(code).toBe(0);
      },
      SUITE_MS,
    );

    it.each([
      [
        'starts before it knows that the claim is its own',
        `from switchyard_worker.running import RunningCall
async def claim(self, is_lost):
    self.claiming = asyncio.ensure_future(self.claim_attempt(1))
    return 1
RunningCall.claim = claim`,
        'does not start a call of a tool that an operator has paused',
      ],
      [
        'does not hear of a Stop',
        `from switchyard_worker.running import asyncio as loop
class Deaf(loop.Event):
    def set(self): pass
import switchyard_worker.running as running
init = running.RunningCall.__init__
def deaf(self, *given):
    init(self, *given)
    self.stopped = Deaf()
running.RunningCall.__init__ = deaf`,
        'stops a call when it is told to',
      ],
      [
        'asks each time anew',
        `from switchyard_worker.ledger import Ledger
send = Ledger.send
async def anew(self, verb, key, body):
    if verb in ('claim', 'settle'):
        answer = self.waiting[body['request_id']]
        body = {**body, 'request_id': __import__('uuid').uuid4().hex}
        self.waiting.setdefault(body['request_id'], answer)
    return await send(self, verb, key, body)
Ledger.send = anew`,
        'repeats a request whose answer is lost: a claim that was stored is its own',
      ],
      [
        'runs whatever version a call was made for',
        `import json
import switchyard_worker.worker as worker
class Versionless:
    @staticmethod
    def loads(text):
        message = json.loads(text)
        if isinstance(message, dict) and isinstance(message.get('body'), dict):
            message['body'].pop('tool_version', None)
        return message
worker.json = Versionless`,
        'shares its queue with workers of another major version: each runs only the calls for its own',
      ],
    ])(
      'breaks it when it %s',
      async (_mistake, patch, title) => {
        const program = `import asyncio, runpy, sys\nsys.path.insert(0, ${JSON.stringify(PYTHON_PACKAGES)})\n${patch}\nrunpy.run_path(${JSON.stringify(contract)}, run_name='__main__')`;
        const { code, results } = await tryWorker(['python3', '-c', program], {}, ['--only', title]);
        expect([code, results.map(({ problem }) => problem !== undefined)]).toEqual([1, [true]]);
      },
      SUITE_MS,
    );
  });

  it(
    'is broken by a program that ends at once, and nothing more is tried',
    async () => {
      const { code, results } = await tryWorker([process.execPath, '-e', 'console.log("nothing to do")']);
      expect([code, results.length]).toEqual([1, 1]);
      expect(results[0]).toMatchObject({
        problem: expect.stringContaining('the worker ended before it offered its tools'),
        output: 'nothing to do',
      });
    },
    SUITE_MS,
  );
});
