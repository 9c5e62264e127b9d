import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
import { WatchedGateway } from './holds.js';
import { addCall, PlayedTurn } from './played-turn.js';

let gateway: WatchedGateway;
let count = 0;
const sockets: Socket[] = [];
/** Asked on each connection before anything else. */
let first = '';

beforeAll(async () => {
  gateway = await WatchedGateway.start();
});
beforeEach(() => gateway.announceTool());
afterEach(async () => {
  first = '';
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.endTurns();
});
afterAll(() => gateway.stop());

/** A POST by hand, which can be left at any moment. */
function post(path: string, body: object, headers: Record<string, string> = {}): Socket {
  const { hostname, port, host } = new URL(gateway.harness.url);
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
  sockets.push(socket);
  const json = JSON.stringify(body);
  const all = { Host: host, 'Content-Type': 'application/json', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const length = `Content-Length: ${Buffer.byteLength(json)}`;
  socket.write(first + [`POST ${path} HTTP/1.1`, ...lines, length, '', json].join('\r\n'));
  socket.resume();
  return socket;
}

const MODERN = '2026-07-28';
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

function postMcp(method: string, params: object, { isOld = false } = {}): Socket {
  const version = isOld ? '2025-11-25' : MODERN;
  const more = isOld
    ? {}
    : { 'Mcp-Method': method, ...(method === 'tools/call' ? { 'Mcp-Name': 'math__add' } : {}) };
  const headers = { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': version, ...more };
  const full = isOld ? params : { ...params, _meta: ENVELOPE };
  return post('/mcp', { jsonrpc: '2.0', id: 1, method, params: full }, headers);
}

const callParams = { name: 'math__add', arguments: { a: 1 } };
const said = (content: string) => [{ role: 'user', content }];

/** Every request over HTTP that follows a turn: begins it, in a conversation of its own. */
const REQUESTS: [name: string, begin: (name: string) => Socket][] = [
  [
    'ag-ui',
    (name) => post('/ag-ui', { threadId: name, runId: name, messages: [{ id: '1', ...said(name)[0] }] }),
  ],
  [
    'openai, streamed',
    (name) => post('/v1/chat/completions', { model: 'switchyard', stream: true, messages: said(name) }),
  ],
  ['openai, whole', (name) => post('/v1/chat/completions', { model: 'switchyard', messages: said(name) })],
  ['mcp-chat, whole', (name) => post('/chat', { message: name }, { 'X-Session-Id': name })],
  ['mcp-chat, streamed', (name) => post('/chat/stream', { message: name }, { 'X-Session-Id': name })],
  ['chat-artifacts', (name) => post('/api/chat-artifacts', { message: name })],
  ['chat-artifacts, whole', (name) => post('/api/chat', { message: name })],
  ['chat-artifacts, without tools', (name) => post('/api/chat-basic', { message: name })],
  ['an MCP call', () => postMcp('tools/call', callParams)],
  ['an MCP call of the older era', () => postMcp('tools/call', callParams, { isOld: true })],
];

describe.each(REQUESTS)('%s: resources are released with a client', (name, begin) => {
  const next = () => begin(`${name.replaceAll(/\W/g, '-')}-${++count}`);

  it('that leaves before anything is answered', async () => {
    const socket = next();
    socket.once('connect', () => setImmediate(() => socket.destroy()));
    await waitFor(() => socket.destroyed, { what: 'the end' });
    await gateway.noticed();
    await gateway.idle();
  });

  it('that leaves while its request waits behind another of its connection', async () => {
    first = 'GET /api/conversations HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
    let socket: Socket;
    await gateway.during(
      'listConversations',
      () => (socket = next()),
      async () => {
        await gateway.noticed();
        socket.destroy();
        await gateway.noticed();
      },
    );
    await gateway.idle();
    expect(await gateway.unended()).toEqual([]);
  });

  it.each(['getTurn', 'insertTurn'] as const)('that leaves during %s', async (operation) => {
    let socket: Socket;
    await gateway.during(
      operation,
      () => (socket = next()),
      async () => {
        socket.destroy();
        await gateway.noticed();
      },
    );
    await gateway.idle();
  });

  it('that leaves midway, and the turn continues unless the client has cancelled it', async () => {
    const socket = next();
    await gateway.holding('viewers', 1);
    const turn = await gateway.newestTurn();
    socket.destroy();
    await gateway.idle();
    const journal = await gateway.harness.store.readJournal(turn._id);
    expect(journal!.steps.map(({ kind }) => kind)).toEqual(name === 'an MCP call' ? ['cancel'] : []);
  });

  it('that leaves when the turn has ended', async () => {
    const socket = next();
    const played = await PlayedTurn.take(gateway.harness, (await gateway.newestTurn())._id);
    await played.answer('Hello.');
    await gateway.holding('viewers', 0);
    socket.destroy();
    await gateway.idle();
  });
});

const APPROVED = { approval: { action: 'accept', content: { approve: true } } };
const DENIED = { approval: { action: 'accept', content: { approve: false } } };

describe('resources held for MCP', () => {
  /** A call that waits for approval, `earlier` turns back. */
  async function askingCall(): Promise<object> {
    const socket = postMcp('tools/call', callParams);
    const played = await PlayedTurn.take(gateway.harness, (await gateway.newestTurn())._id);
    await played.start();
    const call = addCall(`hold${++count}`, 'required');
    await played.commit(1, '', [call]);
    await gateway.holding('viewers', 0);
    socket.destroy();
    const { _id: turn_id } = played.turn;
    const requestState = JSON.stringify({ turn_id, tool_call_id: call.tool_call_id, asks: 'approval' });
    return { ...callParams, requestState };
  }

  it('are released with a client that was asked', async () => {
    await askingCall();
    await gateway.idle();
  });

  it('are released with a client that has answered and waits for the rest', async () => {
    const state = await askingCall();
    const socket = postMcp('tools/call', { ...state, inputResponses: APPROVED });
    await gateway.holding('viewers', 1);
    socket.destroy();
    await gateway.idle();
  });

  it('are none for an ended turn, which the journal answers', async () => {
    const { harness } = gateway;
    const client = await harness.connect();
    const first = await client.send('one');
    const { turn_id, conversation_id } = first;
    await (await PlayedTurn.take(harness, turn_id)).answer('One.');
    await harness.store.setTurnStatus(turn_id, 'completed');
    for (let more = 0; more < 25; more++) {
      const turn = await client.send('more', { conversation_id });
      await (await PlayedTurn.take(harness, turn.turn_id)).answer('More.');
      await harness.store.setTurnStatus(turn.turn_id, 'completed');
    }
    client.close();
    await gateway.idle();
    const requestState = JSON.stringify({
      turn_id,
      tool_call_id: addCall('x').tool_call_id,
      asks: 'approval',
    });
    let answer = '';
    const socket = postMcp('tools/call', { ...callParams, requestState });
    socket.on('data', (data: Buffer) => (answer += data.toString()));
    await waitFor(() => answer.includes('"isError":true'), { what: 'the answer' });
    expect(gateway.holds.feeds).toBe(0);
    socket.destroy();
    await gateway.idle();
  });

  it('are released with a client that leaves while its turn is read', async () => {
    const state = await askingCall();
    let socket: Socket;
    await gateway.during(
      'readJournal',
      () => (socket = postMcp('tools/call', { ...state, inputResponses: DENIED })),
      async () => {
        socket.destroy();
        await gateway.noticed();
      },
    );
    await gateway.idle();
  });

  it('are released with a client that listens', async () => {
    const socket = postMcp('subscriptions/listen', { notifications: { toolsListChanged: true } });
    await gateway.holding('listeners', 1);
    socket.destroy();
    await gateway.idle();
  });
});
