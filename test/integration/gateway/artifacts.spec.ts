import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Artifact } from '#contracts';
import { makeArtifact } from '../../../libs/tools/make-artifact.js';
import { waitFor } from '../../services/wait-for.js';
import { JWT_SECRET, signTestToken, startHarness, type Harness } from './gateway-harness.js';

const AT = '2026-03-01T10:00:00.000Z';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

let harness: Harness;
let token: string;
let conversationId: string;
beforeAll(async () => {
  harness = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } as never } });
  token = await signTestToken('ann');
  conversationId = await createConversation();
});
afterAll(() => harness.stop());

async function createConversation(): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const made = await fetch(`${harness.url}/api/conversations`, { method: 'POST', headers, body: '{}' });
  return ((await made.json()) as { id: string }).id;
}

async function keep(content: string | Uint8Array, contentType: string, name?: string): Promise<Artifact> {
  const place = { user_id: 'ann', conversation_id: conversationId, turn_id: 't', tool_call_id: 'c' };
  const artifact = makeArtifact(place, { content, contentType, name }, AT);
  await harness.store.putArtifact(artifact);
  return artifact;
}

const ask = (id: string, headers: Record<string, string> = {}, method = 'GET', as = token) =>
  fetch(`${harness.url}/api/artifacts/${id}`, {
    method,
    headers: { ...(as ? { authorization: `Bearer ${as}` } : {}), ...headers },
  });

describe('GET /api/artifacts/:id', () => {
  it('serves a picture with its type, sandboxed, and answers a repeated request without its bytes', async () => {
    const { _id, hash } = await keep(PNG, 'image/png', 'pixel “ä”.png');
    const response = await ask(_id);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.byteLength),
      'content-disposition': `inline; filename="pixel ___.png"; filename*=UTF-8''pixel%20%E2%80%9C%C3%A4%E2%80%9D.png`,
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'accept-ranges': 'bytes',
      etag: `"${hash}"`,
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(PNG)).toBe(true);
    const again = await ask(_id, { 'if-none-match': `"${hash}"` });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await ask(_id, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(PNG.byteLength),
      '',
    ]);
  });

  it.each([
    ['text/html', 'text/plain; charset=utf-8', 'inline'],
    ['image/svg+xml', 'text/plain; charset=utf-8', 'inline'],
    ['application/xhtml+xml', 'text/plain; charset=utf-8', 'inline'],
    ['text/javascript', 'text/plain; charset=utf-8', 'inline'],
    ['application/json', 'application/json; charset=utf-8', 'inline'],
    ['application/pdf', 'application/pdf', 'attachment'],
    ['audio/wav', 'audio/wav', 'attachment'],
    ['application/x-shockwave-flash', 'application/octet-stream', 'attachment'],
    ['image/png', 'application/octet-stream', 'attachment'],
    ['nonsense', 'application/octet-stream', 'attachment'],
  ])('serves %s with hostile content as %s, %s', async (claimed, served, kind) => {
    const { _id } = await keep('<svg onload="alert(1)"><script>alert(1)</script></svg>', claimed);
    const { headers } = await ask(_id);
    expect(headers.get('content-type')).toBe(served);
    expect(headers.get('content-disposition')).toMatch(new RegExp(`^${kind}; filename="art_`));
  });

  it('does not trust a stored type that contradicts the bytes', async () => {
    const artifact = await keep('not a picture', 'text/plain');
    const lying = { ...artifact, _id: 'art_lying', content_type: 'image/png' };
    await harness.store.putArtifact(lying);
    expect((await ask('art_lying')).headers.get('content-type')).toBe('application/octet-stream');
  });

  it('serves ranges', async () => {
    const { _id } = await keep('0123456789', 'text/plain');
    const part = async (range: string) => {
      const response = await ask(_id, { range });
      return [response.status, response.headers.get('content-range'), await response.text()];
    };
    expect(await part('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await part('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await part('bytes=-99')).toEqual([206, 'bytes 0-9/10', '0123456789']);
    expect(await part('bytes=-0')).toEqual([416, 'bytes */10', '']);
    expect(await part('bytes=8-99')).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await part('bytes=10-')).toEqual([416, 'bytes */10', '']);
    expect(await part('bytes=0-1,5-6')).toEqual([200, null, '0123456789']);
    expect(await part('lines=1-2')).toEqual([200, null, '0123456789']);
  });

  it('serves the whole for a range of another version, and headers for HEAD', async () => {
    const { _id, hash } = await keep('0123456789', 'text/plain');
    const ifRange = async (tag: string) =>
      (await ask(_id, { range: 'bytes=2-4', 'if-range': tag })).headers.get('content-length');
    expect(await ifRange(`"${hash}"`)).toBe('3');
    expect(await ifRange('"another"')).toBe('10');
    const head = await ask(_id, { range: 'bytes=2-4' }, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
  });

  it('answers 404 to other users, for malformed ids, and once its conversation is deleted', async () => {
    const { _id } = await keep('mine', 'text/plain');
    const missing = await ask('art_00000000000000000000000000000000');
    const body = await missing.text();
    expect(missing.status).toBe(404);
    const other = await ask(_id, {}, 'GET', await signTestToken('bob'));
    expect([other.status, await other.text()]).toEqual([404, body]);
    expect((await ask('%24ne')).status).toBe(404);
    expect((await ask(_id, {}, 'GET', '')).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${harness.url}/api/conversations/${conversationId}`, { method: 'DELETE', headers });
    const late = await ask(_id);
    expect([late.status, await late.text()]).toEqual([404, body]);
  });
});

it('four artifacts of a user are read at once, and more as those are consumed', async () => {
  conversationId = await createConversation();
  const { _id } = await keep('text', 'text/plain');
  const { getArtifact } = harness.store;
  const held: (() => void)[] = [];
  harness.store.getArtifact = async (id) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return getArtifact.call(harness.store, id);
  };
  try {
    const { places } = harness.running.gateway.artifacts;
    const answers = Array.from({ length: 6 }, () => ask(_id));
    await waitFor(() => places.size.waiting === 2, { what: 'two that wait' });
    const bob = ask(_id, {}, 'GET', await signTestToken('bob'));
    await waitFor(() => held.length === 5, { what: 'the reads' });
    expect(places.size).toEqual({ taken: 5, waiting: 2 });
    for (let read = 0; read < 7; read++) {
      await waitFor(() => held.length > read, { what: 'the next read' });
      held[read]!();
    }
    const statuses = await Promise.all(answers.map(async (answer) => (await answer).status));
    expect([statuses, (await bob).status]).toEqual([Array(6).fill(200), 404]);
    await waitFor(() => places.size.taken === 0, { what: 'free places' });
  } finally {
    harness.store.getArtifact = getArtifact;
  }
});
