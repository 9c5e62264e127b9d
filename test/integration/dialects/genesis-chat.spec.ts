import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
import { JWT_SECRET, signTestToken, startHarness, type Harness } from '../gateway/gateway-harness.js';
import { addCall, PlayedTurn } from '../gateway/played-turn.js';
import { GenesisClient, HandshakeRefused } from './genesis-client.js';

let harness: Harness;
let token: string;
beforeAll(async () => {
  harness = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } } });
  token = await signTestToken('ann');
});
afterAll(() => harness.stop());

const open = (options: Parameters<typeof GenesisClient.open>[1] = {}) =>
  GenesisClient.open(harness.url, { token, ...options });

async function conversation(of = token): Promise<string> {
  const response = await fetch(`${harness.url}/api/conversations`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${of}` },
  });
  return ((await response.json()) as { id: string }).id;
}

/** The newest turn of a conversation, to be played. */
async function play(conversationId: string, number = 1): Promise<PlayedTurn> {
  const turn = await waitFor(
    async () =>
      (await harness.store.listTurns(conversationId, { limit: 10 })).find((found) => found.number === number),
    { what: `turn ${number}` },
  );
  return PlayedTurn.take(harness, turn._id);
}

describe('the handshake of /ws/chat', () => {
  const refused = async (options: Parameters<typeof GenesisClient.open>[1]) => {
    const error: unknown = await GenesisClient.open(harness.url, options).catch((thrown: unknown) => thrown);
    if (!(error instanceof HandshakeRefused)) throw error;
    expect(error.wasOpen).toBe(false);
    return error.status;
  };

  it('5: a bad token is refused with 403 before any connection opens', async () => {
    const expired = await signTestToken('ann', { expiresAt: Math.floor(Date.now() / 1000) - 60 });
    const foreign = await signTestToken('ann', { secret: 'another-secret-that-is-long-enough-too' });
    for (const bad of ['', 'x', expired, foreign, undefined]) expect(await refused({ token: bad })).toBe(403);
  });

  it('takes the token of the query, else of the header', async () => {
    const client = await GenesisClient.open(harness.url, { headers: { Authorization: `Bearer ${token}` } });
    client.close();
    expect(await refused({ token: 'x', headers: { Authorization: `Bearer ${token}` } })).toBe(403);
  });

  it('is refused for pages of other origins, and for other paths', async () => {
    expect(await refused({ token, headers: { Origin: 'https://evil.example' } })).toBe(403);
    expect(await refused({ token, path: '/ws/chat/' })).toBe(404);
    expect(await refused({ token, path: '/ws' })).toBe(404);
    const page = await open({ headers: { Origin: 'http://localhost:5173' } });
    page.close();
  });
});

describe('/ws/chat', () => {
  it('tells an answer with a call', async () => {
    const client = await open();
    const id = await conversation();
    client.say(id, 'what is 1 + 2?');
    const played = await play(id);
    const call = addCall('A');
    await played.start();
    played.beginStep(1);
    played.token(1, 'Let me look.');
    await played.commit(1, 'Let me look.', [call]);
    await played.claim(call.tool_call_id, 'worker-1');
    const end = await played.settle(call, 1, 3);
    played.emit(end);
    played.beginStep(2, [end]);
    played.token(2, 'It is 3.');
    played.complete(await played.commit(2, 'It is 3.'));
    await client.next('complete');
    expect(client.types).toEqual(['token', 'tool_start', 'tool_complete', 'token', 'token', 'complete']);
    client.close();
  });
});
