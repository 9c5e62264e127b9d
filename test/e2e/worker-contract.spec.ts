import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { root } from '../docs/documents.js';
import { builtFolder } from '../services/built.js';
import { Child } from '../services/child.js';
import {
  describeWithServices,
  rabbitmqForTest,
  serviceStartTimeoutMs,
  type RabbitmqForTest,
} from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';

/** Ends at once, after it has said something. */
const USELESS = [process.execPath, '-e', 'console.log("nothing to do"); process.exitCode = 7'];
/** Tells its id, and does nothing until it is killed. */
const IDLE = [
  process.execPath,
  '-e',
  'require("fs").writeFileSync(process.env.PID_FILE, String(process.pid)); setInterval(() => {}, 1e6)',
];

function start(environment: Record<string, string>, options: string[], command = USELESS): Child {
  const words = [join(builtFolder, 'bin/switchyard.js'), 'worker-contract', ...options, '--', ...command];
  const env = { PATH: process.env.PATH ?? '', ...environment };
  return new Child('worker contract', process.execPath, words, { cwd: root, env });
}

async function run(...given: Parameters<typeof start>): Promise<{ code: number | null; log: string }> {
  const suite = start(...given);
  const { code } = await suite.exit;
  expect(suite.log).not.toMatch(/hush|^\s+at /m);
  return { code, log: suite.log };
}

it('switchyard worker-contract lists the titles when no case has the text of --only', async () => {
  const { code, log } = await run({ RABBITMQ_URL: 'amqp://127.0.0.1:1' }, ['--only', 'no such case']);
  expect([code, log]).toEqual([
    1,
    expect.stringMatching(/^No case has "no such case" in its title.*\n {2}\S/),
  ]);
  expect(log.trim().split('\n')).toHaveLength(35);
});

it('switchyard worker-contract ends with the address of a broker that it does not reach', async () => {
  const { code, log } = await run({ RABBITMQ_URL: 'amqp://ulla:hush@127.0.0.1:1' }, []);
  expect([code, log]).toEqual([1, expect.stringMatching(/^RabbitMQ at 127\.0\.0\.1:1 is not reachable/)]);
});

describeWithServices(['rabbitmq'], 'switchyard worker-contract', () => {
  let broker: RabbitmqForTest;

  beforeEach(async () => {
    broker = (await rabbitmqForTest())!;
  }, serviceStartTimeoutMs);

  const queues = async () => {
    const listed = await broker.management.request('GET', `/api/queues/${broker.vhost}`);
    return (listed as { name: string }[]).map(({ name }) => name);
  };
  const exchanges = async () => {
    const listed = await broker.management.request('GET', `/api/exchanges/${broker.vhost}`);
    return (listed as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name.startsWith('switchyard'));
  };

  /** A user with these rights on the virtual host. */
  const urlOf = async (configure: string, password = 'hush') => {
    const { management, vhost, url } = broker;
    const username = `ulla-${vhost}`;
    await management.request('PUT', `/api/users/${username}`, { password: 'hush', tags: '' });
    await management.request('PUT', `/api/permissions/${vhost}/${username}`, {
      configure,
      write: '.*',
      read: '.*',
    });
    return Object.assign(new URL(url), { username, password }).href;
  };

  it('shows what an unusable worker wrote and how it ended, and leaves nothing at the broker', async () => {
    const { code, log } = await run({ RABBITMQ_URL: broker.url }, []);
    expect(code).toBe(1);
    expect(log).toMatch(
      /BROKEN .*\n.*the worker ended before it offered its tools, with exit code 7\n.*\| nothing to do/,
    );
    expect([await queues(), await exchanges()]).toEqual([[], []]);
  });

  it('ends when the broker refuses it to declare what it needs', async () => {
    const { code, log } = await run({ RABBITMQ_URL: await urlOf('^$') }, []);
    expect([code, log]).toEqual([
      1,
      expect.stringContaining('refused the user name or password, or the user lacks'),
    ]);
  });

  it('ends before it starts a worker when that has the wrong password', async () => {
    const workerUrl = await urlOf('.*', 'hush-hush');
    const { code, log } = await run({ RABBITMQ_URL: broker.url }, ['--worker-url', workerUrl]);
    expect([code, log]).toEqual([
      1,
      expect.stringMatching(/^--worker-url: RabbitMQ at .* refused the user name/),
    ]);
    expect(await queues()).toEqual([]);
  });

  it('ends when --worker-url leads to another virtual host', async () => {
    const { url } = (await rabbitmqForTest())!;
    const { code, log } = await run({ RABBITMQ_URL: broker.url }, ['--worker-url', url]);
    expect([code, log]).toEqual([1, expect.stringContaining('is not the virtual host of RABBITMQ_URL')]);
  });

  it('leaves a virtual host alone that has queues of an installation', async () => {
    await broker.management.request('PUT', `/api/queues/${broker.vhost}/turns`, { durable: true });
    const { code, log } = await run({ RABBITMQ_URL: broker.url }, []);
    expect([code, log]).toEqual([
      1,
      expect.stringMatching(/has queues of Switchyard already: turns\. .*new virtual host/),
    ]);
    expect([await queues(), await exchanges()]).toEqual([['turns'], []]);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ends its worker on %s, and removes what it declared', async (signal, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'worker-contract-spec-'));
    const PID_FILE = join(folder, 'pid');
    const suite = start({ RABBITMQ_URL: broker.url, PID_FILE }, [], IDLE);
    const pid = await waitFor(() => readIfThere(PID_FILE), { what: 'the worker', timeoutMs: 30_000 });
    const { code } = await suite.kill(signal);
    expect([code, suite.log]).toEqual([expected, expect.stringContaining('has ended the worker')]);
    await waitFor(() => !isAlive(Number(pid)), { what: 'the end of the worker', timeoutMs: 5_000 });
    expect([await queues(), await exchanges()]).toEqual([[], []]);
    rmSync(folder, { recursive: true });
  });
});

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
