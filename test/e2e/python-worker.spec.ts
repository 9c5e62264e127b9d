import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../docs/documents.js';
import { Child } from '../services/child.js';
import { findFreePort } from '../services/free-port.js';
import { groupUserUrl } from '../services/group-user.js';
import { hasPythonPackages, PYTHON_PACKAGES } from '../services/python-packages.js';
import { TcpProxy } from '../services/tcp-proxy.js';
import {
  describeWithServices,
  rabbitmqForTest,
  serviceStartTimeoutMs,
  type RabbitmqForTest,
} from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';

const title = 'the worker in Python, with what it cannot work with';
const GROUP = { name: 'lab', toolsets: ['contract'] };

function start(environment: Record<string, string>): Child {
  const env = {
    PATH: process.env.PATH ?? '',
    PYTHONPATH: PYTHON_PACKAGES,
    WORKER_GROUP: GROUP.name,
    ...environment,
  };
  return new Child('worker in Python', 'python3', [join(root, 'examples/python-worker/contract.py')], {
    env,
  });
}

/** What it says when it ends by itself. */
async function refused(environment: Record<string, string>): Promise<string> {
  const worker = start(environment);
  const { code } = await worker.exit;
  const log = worker.log.trim();
  expect([code, log]).toEqual([1, expect.stringMatching(/^The worker cannot start: [^\n]+\.$/)]);
  expect(log).not.toMatch(/hush|ulla/);
  return log;
}

const describePython = hasPythonPackages ? describe : describe.skip;

describePython(title, () => {
  it.each([
    [{ RABBITMQ_URL: 'http://ulla:hush@host' }, 'RABBITMQ_URL must look like amqp://'],
    [{ RABBITMQ_URL: 'hush' }, 'RABBITMQ_URL must look like amqp://'],
    [{ RABBITMQ_URL: 'amqp:///hush' }, 'RABBITMQ_URL must look like amqp://'],
    [{ RABBITMQ_URL: 'amqp://ulla:1/hush@host' }, 'must be percent-encoded'],
    [{ DRAIN_GRACE_MS: '10s' }, 'DRAIN_GRACE_MS must be a whole number from 0 to 600000'],
    [{ DRAIN_GRACE_MS: '600001' }, 'DRAIN_GRACE_MS must be'],
    [{ WORKER_GROUP: 'Lab_1' }, 'WORKER_GROUP must be the name of a group'],
    [{ MONGODB_URL: 'mongodb://ulla:hush@host' }, 'MONGODB_URL is set'],
    [{ TOOLSETS: 'contract,shop' }, 'TOOLSETS names shop, which'],
    [{ RABBITMQ_URL: '', WORKER_GROUP: '' }, 'RABBITMQ_URL must be set; WORKER_GROUP must be set'],
  ])('refuses %j', async (environment, said) => {
    expect(await refused({ RABBITMQ_URL: 'amqp://ulla:hush@127.0.0.1:1', ...environment })).toContain(said);
  });

  it('ends with the address of a broker that nobody started', async () => {
    const place = `127.0.0.1:${await findFreePort()}`;
    expect(await refused({ RABBITMQ_URL: `amqp://ulla:hush@${place}` })).toMatch(
      `the broker at ${place} cannot be used`,
    );
  });

  describeWithServices(['rabbitmq'], 'at a broker', () => {
    let broker: RabbitmqForTest;
    let own: URL;

    beforeAll(async () => {
      broker = (await rabbitmqForTest())!;
      own = await groupUserUrl(broker, GROUP, { name: 'ulla', password: 'hush' });
    }, serviceStartTimeoutMs);

    const refusedWith = async (change: Partial<URL>, environment: Record<string, string> = {}) => {
      const url = Object.assign(new URL(own), change);
      return refused({ RABBITMQ_URL: url.href, ...environment });
    };

    it('ends when that refuses its password', async () => {
      const said = await refusedWith({ password: 'hush-hush' });
      expect(said).toMatch(
        `the broker at ${own.host} refuses the user name or password: correct RABBITMQ_URL`,
      );
    });

    it('ends when that refuses the virtual host', async () => {
      expect(await refusedWith({ pathname: '/nowhere' })).toMatch(
        `the broker at ${own.host} refuses the virtual host`,
      );
    });

    it('ends when that refuses the names of its group', async () => {
      expect(await refusedWith({}, { WORKER_GROUP: 'shop' })).toMatch(
        /refuses this user the names of the group shop: correct WORKER_GROUP.*`switchyard groups` prints them/,
      );
    });

    it('keeps trying once it was connected, and says where and why', async () => {
      const line = await TcpProxy.start(own.href);
      const worker = start({ RABBITMQ_URL: line.url });
      const place = new URL(line.url).host;
      const says = (text: string) =>
        waitFor(() => worker.log.includes(text), { what: text, timeoutMs: 20_000 });
      await says(`the broker at ${place} has no names of the group lab`);
      line.mode = 'cut';
      await says(`the broker at ${place} cannot be used`);
      expect(worker.isRunning).toBe(true);
      expect(worker.log).toMatch(/cannot be used \(.+\).*; trying again/);
      expect(worker.log).not.toMatch(/hush|ulla|Traceback/);
      await worker.kill();
      await line.stop();
    });
  });
});
