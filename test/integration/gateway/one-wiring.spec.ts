import { once } from 'node:events';
import { connect } from 'node:net';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { controlKey, newMessage } from '#contracts';
import { systemTime } from '#time';
import { CurrentUser, HttpUserGuard } from '../../../apps/gateway/people/auth/http-user.guard.js';
import type { User } from '../../../apps/gateway/people/auth/user.js';
import type { Dialect } from '../../../apps/gateway/dialects/host/dialect.js';
import { RequestError } from '../../../apps/gateway/errors/request-error.js';
import { FromParts } from '../../../apps/gateway/http/from-parts.decorator.js';
import { toRoutes } from '../../../apps/gateway/http/routes.js';
import type { TurnAdmission } from '../../../apps/gateway/turns/turn-admission.js';
import { inTime, waitFor } from '../../services/wait-for.js';
import { GATEWAY_ID, startHarness, type Harness } from './gateway-harness.js';

let harness: Harness;
afterEach(() => harness.stop());

/** What happened to the dialect below. */
const seen: unknown[] = [];

@Controller('echo')
class EchoController {
  constructor(@FromParts() private readonly dialect: { greeting: string }) {}

  @Get()
  @UseGuards(HttpUserGuard)
  greet(@CurrentUser() user: User): string {
    return `${this.dialect.greeting}, ${user.id}`;
  }
}

/** A dialect that nothing of the gateway knows by name. */
const echo: Dialect = {
  name: 'echo',
  owns: (path) => path.startsWith('/echo'),
  sendError: (response, error, status) => void response.status(status).send(`echo: ${error.message}`),
  open: () => ({
    routes: toRoutes({ greeting: 'Hello' }, [EchoController]),
    upgrade: { path: '/echo/socket', take: (_request, socket) => void socket.end('taken over') },
    control: { 'socket.probe': (body) => void seen.push(body) },
    sockets: () => 3,
    drain: async (graceMs) => void seen.push({ graceMs }),
  }),
};

describe('a registered dialect', () => {
  it('gets its routes, handshakes, control messages, sockets and its part of the drain', async () => {
    harness = await startHarness({ given: { dialects: [echo] } });
    const { url, driver, running } = harness;
    expect(await (await fetch(`${url}/echo`)).text()).toBe('Hello, local');
    expect(await (await fetch(`${url}/echo`, { method: 'DELETE' })).text()).toMatch(/^echo: /);
    expect((await fetch(`${url}/v1/models`)).status).toBe(404);
    expect(running.gateway.sockets).toBe(3);

    const socket = connect(running.port, '127.0.0.1');
    const said = once(socket, 'data');
    socket.write('GET /echo/socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    expect(String((await inTime(said, { what: 'the word of the dialect' }))[0])).toBe('taken over');
    socket.destroy();

    const probe = newMessage(systemTime(), 'socket.probe', { user_id: 'ann' });
    await driver.send(controlKey(GATEWAY_ID), probe);
    await waitFor(() => seen.length === 1, { what: 'the control message' });
    await running.drain(1_000);
    expect(seen).toEqual([{ user_id: 'ann' }, { graceMs: 1_000 }]);
  });
});

describe('a part of the gateway that a test replaces', () => {
  it('is used by everything built on it', async () => {
    const refuse = (): never => {
      throw new RequestError('overloaded', 'Not today.');
    };
    const turnAdmission = { begin: refuse } as unknown as TurnAdmission;
    harness = await startHarness({ given: { turnAdmission } });
    const client = await harness.connect();
    expect(await client.request('message', { content: 'hello', client_message_id: 'one' })).toMatchObject({
      error: { code: 'overloaded', message: 'Not today.' },
    });
  });
});
