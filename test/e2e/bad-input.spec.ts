import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { RawSocket } from './raw-socket.js';
import { removeFolders, startStandalone, writeSettings } from './standalone-process.js';
import { DEEP, deepArray, deepObject, expectUnharmed } from './unharmed.js';
import { Viewer } from './viewer.js';

const notIds = [
  {},
  [],
  { $ne: '' },
  { $gt: '' },
  [['a']],
  1,
  true,
  null,
  '',
  'a b',
  'ü',
  '../etc',
  'x'.repeat(129),
];
const refusal = (code: string) => ({ error: { code, message: expect.any(String) } });

describe('bad input over Socket.IO', () => {
  let standalone: SwitchyardProcess;
  let viewer: Viewer;

  beforeAll(async () => {
    const CONFIG = await writeSettings('switchyard.json', { limits: { connections_per_minute: 1_000 } });
    standalone = await startStandalone({ CONFIG });
  }, 60_000);
  afterAll(async () => {
    await standalone.kill('SIGTERM');
    await removeFolders();
  });
  beforeEach(async () => {
    viewer = await Viewer.connect(standalone.url);
  });
  afterEach(async () => {
    viewer.close();
    await expectUnharmed(standalone);
  });

  test('an unknown event is refused', async () => {
    const names = ['nonsense', 'constructor', '__proto__', 'toString', '', 'x'.repeat(10_000)];
    for (const name of names) expect(await viewer.request(name, {})).toEqual(refusal('invalid'));
  });

  test('a payload of a wrong type is refused', async () => {
    const payloads = [null, undefined, 1, 'text', true, [], [{}], Buffer.from('x'), {}, { content: 1 }];
    for (const payload of payloads) {
      for (const name of ['message', 'join', 'leave', 'stop', 'tool_approval', 'input'])
        expect([name, payload, await viewer.request(name, payload)]).toEqual([
          name,
          payload,
          refusal('invalid'),
        ]);
    }
  });

  test('malformed ids are rejected', async () => {
    for (const id of notIds) {
      for (const name of ['join', 'leave'])
        expect([id, await viewer.request(name, { conversation_id: id })]).toEqual([id, refusal('invalid')]);
      expect(await viewer.request('stop', { turn_id: id })).toEqual(refusal('invalid'));
      expect(await viewer.request('message', { conversation_id: id, content: 'x' })).toEqual(
        refusal('invalid'),
      );
      const call = { turn_id: id, tool_call_id: id, decision: 'approve', content: {} };
      expect(await viewer.request('tool_approval', call)).toEqual(refusal('invalid'));
      expect(await viewer.request('input', call)).toEqual(refusal('invalid'));
    }
    for (const id of [{ $ne: '' }, [], 1, '', 'with space', 'x'.repeat(129)])
      expect(await viewer.request('message', { content: 'x', client_message_id: id })).toEqual(
        refusal('invalid'),
      );
  });

  test('an unknown id is refused', async () => {
    const conversation_id = 'conv_nobody';
    expect(await viewer.request('join', { conversation_id })).toEqual(refusal('not_found'));
    expect(await viewer.request('message', { conversation_id, content: 'x' })).toEqual(refusal('not_found'));
    expect(await viewer.request('leave', { conversation_id })).toEqual({});
    expect(await viewer.request('stop', { turn_id: 'turn_nobody' })).toEqual(refusal('not_found'));
    const call = { turn_id: 'turn_nobody', tool_call_id: `call_${'a'.repeat(22)}` };
    expect(await viewer.request('tool_approval', { ...call, decision: 'deny' })).toEqual(
      refusal('not_found'),
    );
    expect(await viewer.request('input', { ...call, content: {} })).toEqual(refusal('not_found'));
  });

  test('content that is blank or too long is refused; the longest allowed is answered', async () => {
    for (const content of ['', ' ', '\n\t\u00a0\u2003']) {
      expect(await viewer.request('message', { content })).toEqual(refusal('invalid'));
    }
    expect(await viewer.request('message', { content: 'x'.repeat(65_537) })).toEqual(
      refusal('content_too_long'),
    );
    expect(await viewer.request('message', { content: '🙂'.repeat(32_769) })).toEqual(
      refusal('content_too_long'),
    );
    const { conversation_id, turn_id } = await viewer.send('x'.repeat(65_536));
    expect((await viewer.ended(conversation_id, turn_id)).status).toBe('completed');
  });

  test('options of a wrong type and an unknown model are refused', async () => {
    const wrong = [
      1,
      [],
      { model: {} },
      { temperature: 'hot' },
      { tools: { allow: [{}] } },
      { max_output_tokens: -1 },
    ];
    for (const options of wrong)
      expect(await viewer.request('message', { content: 'x', options })).toEqual(refusal('invalid'));
    for (const model of ['no/such', '', '__proto__', 'anthropic/claude'])
      expect(await viewer.request('message', { content: 'x', options: { model } })).toEqual(
        refusal('invalid'),
      );
  });

  test('unusual characters are kept unchanged', async () => {
    const content = 'a\u0000b\ud800c\udc00 \u202e{{$x}} <script>alert(1)</script> \u001b[31m';
    const { conversation_id, turn_id } = await viewer.send(content);
    const turn = await viewer.ended(conversation_id, turn_id);
    expect([turn.status, turn.content.length]).toEqual(['completed', content.length]);
  });

  test('a request without an acknowledgement is harmless', async () => {
    for (const name of ['message', 'join', 'stop', 'nonsense', 'ping', 'leave', 'input']) {
      viewer.socket.emit(name);
      viewer.socket.emit(name, { content: 1 });
      viewer.socket.emit(name, 'a', 'b', 'c');
    }
    expect(await viewer.request('ping')).toEqual({});
  });

  test(`a message of ${DEEP} levels`, async () => {
    for (const payload of [
      deepArray,
      deepObject,
      `{"content":${deepArray}}`,
      `{"content":"x","options":${deepObject}}`,
    ]) {
      const raw = await RawSocket.open(standalone.url);
      raw.send(`421["message",${payload}]`);
      await waitFor(() => raw.isClosed || raw.received.some((text) => text.startsWith('431')), {
        what: 'an answer',
      });
      const answer = raw.received.find((text) => text.startsWith('431'));
      if (answer) expect(JSON.parse(answer.slice(3))).toEqual([refusal('invalid')]);
      raw.close();
    }
  });

  test('a frame of more than 1 MiB closes the connection', async () => {
    for (const frame of ['x'.repeat(1024 * 1024 + 1), Buffer.alloc(1024 * 1024 + 1)]) {
      const raw = await RawSocket.open(standalone.url);
      raw.send(frame);
      await raw.closed();
    }
    viewer.socket.emit('message', { content: 'x'.repeat(1024 * 1024) });
    await waitFor(() => !viewer.socket.connected, { what: 'the disconnection' });
  });

  test('malformed packets are answered, or their connection is closed', async () => {
    const packets = [
      ...['4', '42', '42[]', '42[1]', '42["', '42{}', '42null', '42[null]', '42[["message"]]', '42[{"a":1}]'],
      ...[
        '429999999999999999999["message"]',
        '42/other,["message",{}]',
        '44{}',
        '45-["x"]',
        '451-["message"]',
      ],
      ...['451-["message",{"_placeholder":true,"num":0}]', '451-["message",{"_placeholder":true,"num":99}]'],
      ...[
        '459999999-["message"]',
        '46',
        '43["x"]',
        '431["x"]',
        '41',
        '49',
        '4\u0000',
        '5',
        '6',
        '7',
        '9',
        '',
        'xyz',
      ],
      ...[
        '40',
        '40/other,',
        '40{"token":{"$ne":1}}',
        `40${deepObject}`,
        '42["disconnect"]',
        '42["connect",{}]',
      ],
      ...[
        '421["error"]',
        '421["disconnecting",{}]',
        '421["newListener",{}]',
        '421["message"]',
        '2probe',
        '3',
      ],
    ];
    for (const packet of packets) {
      const raw = await RawSocket.open(standalone.url);
      raw.send(packet);
      raw.send('427["ping",{}]');
      const isDone = () => raw.isClosed || raw.received.some((text) => text.startsWith('437'));
      await waitFor(isDone, { what: `an answer after ${packet.slice(0, 60)}` });
      raw.close();
    }
  });

  test('binary and broken frames before the namespace is entered are refused', async () => {
    const frames: ((raw: RawSocket) => void)[] = [
      (raw) => raw.send('421["message",{"content":"x"}]'),
      (raw) => raw.send(`40${deepArray}`),
      (raw) => raw.send('40{"token":'),
      (raw) => raw.send(Buffer.from([1, 2, 3])),
      (raw) => raw.frame(0x1, Buffer.from([0xff, 0xfe, 0xfd])),
      (raw) => raw.frame(0x3, Buffer.from('reserved')),
      (raw) => raw.frame(0x0, Buffer.from('continuation of nothing')),
      (raw) => raw.frame(0x8, Buffer.from([0])),
      (raw) => raw.sendBytes(Buffer.from([0x81, 0x05, 1, 2, 3, 4, 5])),
      (raw) => raw.sendBytes(Buffer.from('GET / HTTP/1.1\r\n\r\n')),
    ];
    for (const send of frames) {
      const raw = await RawSocket.open(standalone.url, { enter: '' });
      send(raw);
      const isDone = () => raw.isClosed || raw.received.some((text) => text.startsWith('44'));
      await waitFor(isDone, { what: `the end after ${send.toString()}`, timeoutMs: 15_000 });
      raw.close();
    }
  }, 60_000);
});
