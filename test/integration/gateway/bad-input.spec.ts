import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
import {
  signTestToken,
  endTokens,
  soon,
  startHarness,
  JWT_SECRET,
  type Client,
  type Harness,
} from './gateway-harness.js';
import { RawClient } from './raw-client.js';

const DEEP = 20_000;
const deepJson = (inner = ''): string => '{"a":'.repeat(DEEP) + (inner || '1') + '}'.repeat(DEEP);

let harness: Harness;
let client: Client;
beforeAll(async () => {
  harness = await startHarness();
  client = await harness.connect();
});
afterAll(() => harness.stop());

const openRaw = (): Promise<RawClient> => RawClient.enter(harness.url);

/** The process lives and serves: what every attack must leave behind. */
async function expectServing(): Promise<void> {
  expect(await client.request('ping')).toEqual({});
  expect(await (await fetch(`${harness.url}/health/live`)).json()).toEqual({ status: 'alive' });
}

describe('invalid socket requests', () => {
  it.each([
    ['message', undefined],
    ['message', null],
    ['message', 'text'],
    ['message', 7],
    ['message', []],
    ['message', {}],
    ['message', { content: 7 }],
    ['message', { content: '' }],
    ['message', { content: ' \n\t ' }],
    ['message', { content: { $gt: '' } }],
    ['message', { content: Buffer.from('bytes') }],
    ['message', { content: 'x', client_message_id: '' }],
    ['message', { content: 'x', client_message_id: 'with space' }],
    ['message', { content: 'x', client_message_id: 'x'.repeat(129) }],
    ['message', { content: 'x', client_message_id: { $ne: null } }],
    ['message', { content: 'x', conversation_id: { $gt: '' } }],
    ['message', { content: 'x', conversation_id: ['conv_1'] }],
    ['message', { content: 'x', conversation_id: 'a.b' }],
    ['message', { content: 'x', conversation_id: 'x'.repeat(200) }],
    ['message', { content: 'x', options: 'fast' }],
    ['message', { content: 'x', options: { temperature: 9 } }],
    [
      'message',
      { content: 'x', options: { formatter: true, call: { tool_name: 'math.add', arguments: {} } } },
    ],
    ['join', undefined],
    ['join', 'conv_1'],
    ['join', { conversation_id: { $ne: null } }],
    ['join', { conversation_id: '__proto__.x' }],
    ['leave', { conversation_id: 1 }],
    ['stop', {}],
    ['stop', { turn_id: { $regex: '.*' } }],
    ['tool_approval', { turn_id: 't', tool_call_id: 'call_1', decision: 'approve' }],
    ['tool_approval', { turn_id: 't', tool_call_id: 'call_0123456789012345678901', decision: 'maybe' }],
    ['input', { turn_id: 't', tool_call_id: 'call_0123456789012345678901', content: 'text' }],
    ['no_such_request', {}],
    ['hasOwnProperty', {}],
    ['__proto__', {}],
  ])('%s %j is answered with invalid', async (name, body) => {
    expect((await client.request(name, body)).error?.code).toBe('invalid');
  });

  it('two arguments are answered with invalid', async () => {
    expect((await client.request('message', { content: 'a' }, { content: 'b' })).error?.code).toBe('invalid');
  });

  it('text over the limit is answered with content_too_long, text at the limit is taken', async () => {
    expect((await client.request('message', { content: 'x'.repeat(65_537) })).error?.code).toBe(
      'content_too_long',
    );
    await client.send('x'.repeat(65_536));
  });

  it('unknown ids are answered with not_found', async () => {
    for (const [name, body] of [
      ['join', { conversation_id: 'conv_unknown' }],
      ['message', { conversation_id: 'conv_unknown', content: 'x' }],
      ['stop', { turn_id: 'turn_unknown' }],
    ] as const)
      expect((await client.request(name, body)).error?.code).toBe('not_found');
    expect(await client.request('leave', { conversation_id: 'conv_unknown' })).toEqual({});
  });

  it('unknown fields are ignored, and their names pollute no prototype', async () => {
    const body = JSON.parse(
      '{"content":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    await client.send('y', body as object);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('a request without an acknowledgement is still executed', async () => {
    const before = client.events('turn_queued').length;
    client.socket.emit('message', { content: 'no answer wanted' });
    await client.event('turn_queued', before + 1);
    client.socket.emit('message', 'garbage');
    client.socket.emit('join', { conversation_id: 'conv_unknown' });
    client.socket.emit('no_such_request');
    await expectServing();
  });

  it('ping is answered with ack and pong, regardless of its payload', async () => {
    expect(await client.request('ping', { any: 'thing' })).toEqual({});
    expect(await client.request('ping')).toEqual({});
    expect(client.received.find((event) => (event as { type: string }).type === 'pong')).toMatchObject({
      timestamp: expect.any(String),
    });
  });
});

describe('hand-written frames', () => {
  it('an event that is nested 20,000 deep is answered with invalid', async () => {
    const raw = await openRaw();
    for (const name of ['message', 'ping', 'input', 'no_such_request'])
      raw.socket.send(`427["${name}",${deepJson()}]`);
    raw.socket.send(`428["message",${'['.repeat(DEEP)}${']'.repeat(DEEP)}]`);
    raw.socket.send(
      `429["input",{"turn_id":"t","tool_call_id":"call_0123456789012345678901","content":${deepJson()}}]`,
    );
    await waitFor(() => raw.packets('43').length >= 6, { what: 'the answers' });
    for (const packet of raw.packets('43')) expect(packet).toContain('"code":"invalid"');
    await expectServing();
  });

  it('a client that leaves the namespace keeps no connection, whatever was sent with it', async () => {
    const raw = await openRaw();
    raw.socket.send('41');
    raw.socket.send('427["ping",{}]');
    await waitFor(() => raw.isClosed, { what: 'the end of the connection' });
    const alone = await openRaw();
    alone.socket.send('41');
    await waitFor(() => alone.isClosed, { what: 'the end of the other one' });
  });

  it('a deeply nested token in the handshake is refused without harm', async () => {
    const raw = RawClient.open(harness.url);
    await waitFor(() => raw.frames.length > 0, { what: 'the handshake' });
    raw.socket.send(`40{"token":${deepJson()}}`);
    await waitFor(() => raw.isClosed || raw.packets('4').length > 0, { what: 'an answer' });
    await expectServing();
  });

  it('a deeply nested binary event cannot overflow the parser', async () => {
    const raw = await openRaw();
    raw.socket.send(`451-["message",${deepJson('{"_placeholder":true,"num":0}')}]`);
    raw.socket.send(Buffer.from('attachment'));
    await waitFor(() => raw.isClosed || raw.frames.length > 2, { what: 'the end', timeoutMs: 2_000 }).catch(
      () => undefined,
    );
    await expectServing();
  });

  it.each([
    '',
    'garbage',
    '4',
    '42',
    '42{}',
    '42[]',
    '42[1]',
    '42[null]',
    '42["message"',
    '42["connect",{}]',
    '42["disconnect"]',
    '42["disconnecting"]',
    '42["error",{}]',
    '42["newListener",{}]',
    '43["x"]',
    '4399999[]',
    '44{}',
    '41',
    '451-["message",{"_placeholder":true,"num":9}]',
    '45999999999-["message",{}]',
    '42/admin,["message",{}]',
    '40/admin,',
    '40[1,2]',
    '9',
    '1',
    '\u0000\uffff',
    '42["message",{"content":"\\ud800"}]',
    '42["message",{"content":1e999}]',
  ])('%j leaves the process alive', async (frame) => {
    const raw = await openRaw();
    raw.socket.send(frame);
    raw.socket.send(Buffer.from([0, 255, 128]));
    await expectServing();
    raw.socket.terminate();
  });

  it('a frame over 1 MiB closes the connection', async () => {
    const raw = await openRaw();
    raw.socket.send(`420["message",{"content":"${'x'.repeat(1024 * 1024)}"}]`);
    await waitFor(() => raw.isClosed, { what: 'the close' });
    expect(raw.packets('43')).toEqual([]);
    await expectServing();
  });

  it('a client that sends requests without waiting is refused as overloaded', async () => {
    const raw = await openRaw();
    for (let i = 0; i < 300; i++) raw.socket.send(`42${i}["stop",{"turn_id":"turn_unknown"}]`);
    await waitFor(() => raw.packets('43').length === 300, { what: 'an answer to each' });
    expect(raw.packets('43').some((packet) => packet.includes('overloaded'))).toBe(true);
    expect(raw.packets('43').some((packet) => packet.includes('not_found'))).toBe(true);
    await expectServing();
  });
});

describe('internal failures', () => {
  it('an unexpected error is answered with internal, without details', async () => {
    const broken = await startHarness({
      alter: ({ store }) => ({
        store: new Proxy(store, {
          get: (target, name) => {
            if (name === 'getTurn') return () => Promise.reject(new Error('secret detail of the store'));
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
          },
        }),
      }),
    });
    try {
      const victim = await broken.connect();
      const answer = await victim.request('message', { content: 'x' });
      expect(answer.error?.code).toBe('internal');
      expect(JSON.stringify(answer)).not.toContain('secret detail');
      expect(broken.log.join()).toContain('secret detail');
      expect((await fetch(`${broken.url}/api/turns/t/stop`, { method: 'POST' })).status).toBe(500);
    } finally {
      await broken.stop();
    }
  });

  it('an unavailable store is answered with unavailable', async () => {
    const { StoreUnavailableError } = await import('#store');
    const broken = await startHarness({
      alter: ({ store }) => ({
        store: new Proxy(store, {
          get: (target, name) => {
            if (name === 'getConversation') return () => Promise.reject(new StoreUnavailableError('down'));
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
          },
        }),
      }),
    });
    try {
      const victim = await broken.connect();
      const answer = await victim.request('join', { conversation_id: 'conv_1' });
      expect(answer.error).toMatchObject({ code: 'unavailable', retry_after_ms: expect.any(Number) });
      const response = await fetch(`${broken.url}/api/conversations/conv_1`);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    } finally {
      await broken.stop();
    }
  });

  it('a broker without confirms does not stop a message from being accepted', async () => {
    const silent = await startHarness({
      alter: ({ bus }) => ({
        bus: new Proxy(bus, {
          get: (target, name) => {
            if (name === 'publish') return () => Promise.resolve('unknown');
            if (name === 'follow') return () => new Promise<void>(() => undefined);
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
          },
        }),
      }),
    });
    try {
      const sender = await silent.connect();
      const { turn_id } = await sender.send('hello');
      expect(await silent.store.getTurn(turn_id)).not.toBeNull();
      await waitFor(() => silent.log.some((line) => line.includes('new turn not hinted')), {
        what: 'a line in the log',
      });
    } finally {
      await silent.stop();
    }
  });
});

describe('tokens of sockets', () => {
  it('are accepted in auth, header or query if they are valid, and only then', async () => {
    const guarded = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } } });
    try {
      const good = await signTestToken('ann');
      await guarded.connect({ token: good });
      await guarded.connect({ headers: { authorization: `Bearer ${good}` } });
      const bad = [
        undefined,
        '',
        'garbage',
        `${good}x`,
        await signTestToken('ann', { secret: 'another-secret-that-is-long-enough-too' }),
        await signTestToken('ann', { expiresAt: 1_000 }),
        await signTestToken(''),
        'x'.repeat(20_000),
        `eyJhbGciOiJub25lIn0.${Buffer.from('{"sub":"ann","exp":9999999999}').toString('base64url')}.`,
      ];
      for (const token of bad)
        await expect(guarded.connect({ token })).rejects.toMatchObject({
          message: 'unauthorized',
          data: { code: 'unauthorized' },
        });
      const response = await fetch(`${guarded.url}/api/conversations`);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    } finally {
      await guarded.stop();
    }
  });

  it('close the connection when they expire', async () => {
    const guarded = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } } });
    try {
      const ann = await guarded.connect({ token: await signTestToken('ann', { expiresAt: soon(guarded) }) });
      await endTokens(guarded);
      await waitFor(() => !ann.socket.connected, { what: 'the disconnect' });
      expect(ann.order).toEqual(['token_expired']);
    } finally {
      await guarded.stop();
    }
  });

  it('of one user give no access to another’s data', async () => {
    const guarded = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } } });
    try {
      const [ann, bob] = [await signTestToken('ann'), await signTestToken('bob')];
      const owner = await guarded.connect({ token: ann });
      const other = await guarded.connect({ token: bob });
      const { conversation_id, turn_id } = await owner.send('mine', { client_message_id: 'm1' });
      const tool_call_id = 'call_0123456789012345678901';
      for (const [name, body] of [
        ['join', { conversation_id }],
        ['message', { conversation_id, content: 'x' }],
        ['message', { conversation_id, content: 'mine', client_message_id: 'm1' }],
        ['stop', { turn_id }],
        ['tool_approval', { turn_id, tool_call_id, decision: 'deny' }],
        ['input', { turn_id, tool_call_id, content: {} }],
      ] as const)
        expect((await other.request(name, body)).error?.code).toBe('not_found');
      const headers = { authorization: `Bearer ${bob}` };
      for (const [method, path] of [
        ['GET', `/api/conversations/${conversation_id}`],
        ['DELETE', `/api/conversations/${conversation_id}`],
        ['GET', `/api/conversations/${conversation_id}/messages`],
        ['GET', `/api/conversations/${conversation_id}/turns`],
        ['POST', `/api/turns/${turn_id}/stop`],
        ['GET', `/api/turns/${turn_id}/calls/${tool_call_id}`],
      ] as const)
        expect((await fetch(guarded.url + path, { method, headers })).status).toBe(404);
      expect((await other.send('mine', { client_message_id: 'm1' })).conversation_id).not.toBe(
        conversation_id,
      );
    } finally {
      await guarded.stop();
    }
  });

  it('limit a user’s new connections per minute', async () => {
    const limited = await startHarness({ limits: { connectionsPerMinute: 2 } });
    try {
      await limited.connect();
      await limited.connect();
      await expect(limited.connect()).rejects.toMatchObject({
        message: 'overloaded',
        data: { code: 'overloaded', retry_after_ms: expect.any(Number) },
      });
    } finally {
      await limited.stop();
    }
  });
});
