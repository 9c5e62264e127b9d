import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from './config/config-error.js';
import { describeStartFailure } from './start.js';

describe('describeStartFailure', () => {
  it('lists the problems of the settings', () => {
    expect(describeStartFailure('gateway', new ConfigError(['AUTH must be none or jwt']))).toBe(
      'The gateway cannot start: 1 setting is wrong:\n  - AUTH must be none or jwt\nEvery name is explained in .env.example and docs/operations.md.',
    );
  });

  it('is one sentence for a known error, without a stack or a secret', () => {
    const error = Object.assign(
      new Error('RabbitMQ at amqp://u:hunter2@h refused the login: check RABBITMQ_URL.'),
      { name: 'BusSetupError' },
    );
    expect(describeStartFailure('orchestrator', error)).toBe(
      'The orchestrator cannot start: RabbitMQ at amqp://***@h refused the login: check RABBITMQ_URL.',
    );
  });

  it('names a port that is in use, and what to do', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const error = await new Promise<Error>((resolve) =>
      createServer().once('error', resolve).listen(port, '127.0.0.1'),
    );
    server.close();
    expect(describeStartFailure('gateway', error)).toBe(
      `Port ${port} is in use: stop the program that uses it, or set PORT (OPS_PORT for health and metrics) to a free port.`,
    );
  });

  it('names HOST when it is not an address of this machine', async () => {
    // Reserved: no machine can have it, as some have one of those that are kept for documentation.
    const error = await new Promise<Error>((resolve) =>
      createServer().once('error', resolve).listen(0, '240.0.0.1'),
    );
    expect(describeStartFailure('gateway', error)).toMatch(/^Cannot listen on HOST \(EADDRNOTAVAIL\)/);
  });

  it('keeps the stack of an unexpected error', () => {
    expect(describeStartFailure('gateway', new TypeError('bug'))).toMatch(/TypeError: bug\n\s+at /);
  });
});
