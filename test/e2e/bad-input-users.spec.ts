import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { builtProgram } from '../services/built.js';
import { runCommand } from '../services/child.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { callsOf } from './models-chat.js';
import { removeFolders, requestJson, startStandalone } from './standalone-process.js';
import { expectUnharmed } from './unharmed.js';
import { Viewer } from './viewer.js';

const JWT_SECRET = 'a secret of at least thirty-two characters';

async function tokenFor(user: string, secret = JWT_SECRET): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', JWT_SECRET: secret };
  const printed = await runCommand(process.execPath, [builtProgram('token'), '--user', user], { env });
  return printed.trim();
}

describe('two users (AUTH=jwt)', () => {
  let standalone: SwitchyardProcess;
  let ann: string;
  let bob: string;
  let annSocket: Viewer;
  let bobSocket: Viewer;

  beforeAll(async () => {
    [ann, bob] = await Promise.all([tokenFor('ann'), tokenFor('bob')]);
    standalone = await startStandalone({ AUTH: 'jwt', JWT_SECRET });
    annSocket = await Viewer.connect(standalone.url, { token: ann });
    bobSocket = await Viewer.connect(standalone.url, { token: bob });
  }, 60_000);
  afterAll(async () => {
    annSocket.close();
    bobSocket.close();
    await standalone.kill('SIGTERM');
    await removeFolders();
  });
  afterEach(() => expectUnharmed(standalone, { token: ann }));

  function ask<T = unknown>(token: string, path: string, init: Parameters<typeof requestJson>[1] = {}) {
    const headers = { authorization: `Bearer ${token}` };
    return requestJson<T>(`${standalone.url}/api${path}`, { ...init, headers });
  }

  test('another user learns nothing of a conversation, and changes nothing', async () => {
    const { conversation_id, turn_id } = await annSocket.send('what is 1 + 2?');
    const [call] = callsOf(await annSocket.ended(conversation_id, turn_id));
    const { tool_call_id } = call!;
    const absent = { error: { code: 'not_found', message: 'There is nothing with this id.' } };
    const requests: [string, object][] = [
      ['join', { conversation_id }],
      ['message', { conversation_id, content: 'hello' }],
      ['stop', { turn_id }],
      ['tool_approval', { turn_id, tool_call_id, decision: 'approve' }],
      ['input', { turn_id, tool_call_id, content: {} }],
    ];
    for (const [name, payload] of requests)
      expect([name, await bobSocket.request(name, payload)]).toEqual([name, absent]);
    const place = `/conversations/${conversation_id}`;
    const paths: [string, Parameters<typeof requestJson>[1]][] = [
      [place, {}],
      [place, { method: 'PATCH', json: { title: 'mine' } }],
      [place, { method: 'DELETE' }],
      [`${place}/messages`, {}],
      [`${place}/turns`, {}],
      [`${place}/turns`, { method: 'POST', json: { content: 'hello' } }],
      [`/turns/${turn_id}/stop`, { method: 'POST' }],
      [`/turns/${turn_id}/calls/${tool_call_id}`, {}],
    ];
    for (const [path, init] of paths) {
      const foreign = await ask(bob, path, init);
      const unknown = await ask(bob, path.replace(/(conv|turn)_[\w-]+/, '$1_unknown'), init);
      expect([path, foreign.status, foreign.body]).toEqual([path, 404, unknown.body]);
    }
    expect((await ask<object[]>(bob, '/conversations')).body).toEqual([]);
    expect((await ask(ann, place)).body).toMatchObject({ title: 'New Conversation', user_id: 'ann' });
    expect(annSocket.view(conversation_id).turns).toHaveLength(1);
    expect(bobSocket.received).toEqual([]);
  });

  test('the same client_message_id of two users creates two conversations', async () => {
    const message = { client_message_id: 'first' };
    const [of, other] = await Promise.all([
      annSocket.send('hello', message),
      bobSocket.send('hello', message),
    ]);
    expect(of.conversation_id).not.toBe(other.conversation_id);
    expect(await annSocket.send('hello', message)).toEqual(of);
    await annSocket.ended(of.conversation_id, of.turn_id);
    await bobSocket.ended(other.conversation_id, other.turn_id);
    expect(bobSocket.received.every((event) => event.conversation_id === other.conversation_id)).toBe(true);
  });

  test('requests without a valid token get 401, and no socket', async () => {
    const [header, payload] = ann.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const forged = await tokenFor('ann', 'another secret of thirty-two characters');
    for (const token of [
      '',
      'x',
      'a.b.c',
      `${header}.${payload}.`,
      `${none}.${payload}.`,
      forged,
      'x'.repeat(10_000),
    ]) {
      const refused = await ask(token, '/conversations');
      expect([token, refused.status, refused.headers.get('www-authenticate')]).toEqual([
        token,
        401,
        'Bearer',
      ]);
      await expect(Viewer.connect(standalone.url, { token })).rejects.toMatchObject({
        data: { code: 'unauthorized' },
      });
    }
    for (const token of [{ $ne: '' }, ['a'], 1] as unknown as string[])
      await expect(Viewer.connect(standalone.url, { token })).rejects.toMatchObject({
        data: { code: 'unauthorized' },
      });
    expect((await fetch(`${standalone.url}/api/tools`)).status).toBe(401);
    expect((await fetch(`${standalone.url}/health/ready`)).status).toBe(200);
  });

  test('the token command names what is missing', async () => {
    await expect(tokenFor('')).rejects.toThrow('--user must be the name of a user');
    await expect(tokenFor('ann', '')).rejects.toThrow('JWT_SECRET is missing');
  });
});
