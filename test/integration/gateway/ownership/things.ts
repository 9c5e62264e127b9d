import { SignJWT } from 'jose';
import { inputId } from '#turn';
import { Sessions } from '../../../../apps/gateway/people/accounts/sessions.js';
import { sampleAccount } from '../../../../libs/store/testing/sample-rows.js';
import { makeArtifact } from '../../../../libs/tools/make-artifact.js';
import { findFreePort } from '../../../services/free-port.js';
import { JWT_SECRET, startHarness, type Harness } from '../gateway-harness.js';
import { CONNECTION_SETTINGS, connectionsOf, makeConnection, makeFlow } from '../made-connection.js';
import { addCall, PlayedTurn } from '../played-turn.js';

/** Who asks: the owner, somebody else, and an operator. Accounts of their own, so that every route exists. */
export type Person = 'ann' | 'bob' | 'olga';

/** Ids of one of everything that somebody can own. */
export interface Ids {
  conversation: string;
  turn: string;
  /** Waits for an approval. */
  approval: string;
  /** Waits for an answer to its question. */
  question: string;
  artifact: string;
  /** An account that an MCP server may use. */
  connection: string;
  /** A way to an issuer. */
  flow: string;
  /** Of a browser on which its person stays signed in. */
  session: string;
}

/** Nobody's; as long as the others. */
export const UNKNOWN: Ids = {
  conversation: 'conv_AAAAAAAAAAAAAAAAAAAAAA',
  turn: 'turn_AAAAAAAAAAAAAAAAAAAAAA',
  approval: `call_${'U'.repeat(22)}`,
  question: `call_${'V'.repeat(22)}`,
  artifact: 'A'.repeat(43),
  connection: 'B'.repeat(43),
  flow: 'C'.repeat(43),
  session: `session_${'D'.repeat(43)}`,
};

/** What only its owner may ever read. */
export const ANNS_WORDS = 'the words of Ann';

export async function startWithPeople(): Promise<Harness> {
  const auth = { kind: 'local' as const, secret: JWT_SECRET };
  const port = await findFreePort();
  const connections = { ...CONNECTION_SETTINGS, publicUrl: `http://127.0.0.1:${port}` };
  const config = { auth, connections };
  const harness = await startHarness({ port, config, limits: { turnsAtOnce: 10_000 } });
  for (const [i, name] of (['olga', 'ann', 'bob'] as const).entries())
    await harness.store.insertAccount(
      sampleAccount({
        _id: name,
        number: i + 1,
        username: name,
        role: name === 'olga' ? 'operator' : 'user',
      }),
    );
  return harness;
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

export function tokenOf(
  person: Person,
  { secret = JWT_SECRET, exp = inSeconds(600), type = 'access' } = {},
): Promise<string> {
  return new SignJWT({ type })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(person)
    .setExpirationTime(exp)
    .sign(new TextEncoder().encode(secret));
}

/** What lets nobody in, by what is wrong with it. */
export async function badTokens(): Promise<Record<string, string | undefined>> {
  return {
    'no token': undefined,
    'no JWT': 'nonsense',
    'a token of another key': await tokenOf('ann', { secret: 'another-secret-that-is-long-enough-too' }),
    'an expired token': await tokenOf('ann', { exp: inSeconds(-60) }),
    'a token for something else': await tokenOf('ann', { type: 'refresh' }),
  };
}

/** A conversation whose turn waits for two answers of its owner, and a file that it left. */
export async function makeThings(harness: Harness, owner: Person): Promise<Ids> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${await tokenOf(owner)}` };
  const post = async (path: string, body: object) => {
    const response = await fetch(harness.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as { id: string; turn_id: string };
  };
  const words = owner === 'ann' ? ANNS_WORDS : 'other words';
  const { id: conversation } = await post('/api/conversations', { title: words });
  const { turn_id: turn } = await post(`/api/conversations/${conversation}/turns`, { content: words });
  const played = await PlayedTurn.take(harness, turn);
  const random = () => Math.random().toString(36).slice(2, 10);
  const [approval, question] = [addCall(random(), 'required'), addCall(random())];
  await played.start();
  await played.commit(1, words, [approval, question]);
  await played.claim(question.tool_call_id, 'worker-1');
  const at = new Date().toISOString();
  await harness.store.answer({
    _id: inputId(question.tool_call_id, 'question', 1),
    turn_id: turn,
    conversation_id: conversation,
    question: { message: words, schema: { type: 'object', properties: {} }, expires_at: inDays(1) },
    by: 'worker-1',
    at,
  });
  const place = { user_id: owner, conversation_id: conversation, turn_id: turn };
  const artifact = makeArtifact(
    { ...place, tool_call_id: question.tool_call_id },
    { content: words, contentType: 'text/plain' },
    at,
  );
  await harness.store.putArtifact(artifact);
  await harness.store.addUsage({
    _id: `${conversation}:used`,
    user_id: owner,
    day: at.slice(0, 10),
    conversation_id: conversation,
    model: owner === 'ann' ? `demo/${ANNS_WORDS}` : 'demo',
    input_tokens: 1,
    output_tokens: 1,
    cached_tokens: 0,
    cost: 0,
    counted_to: 1,
  });
  const connections = connectionsOf(harness.store);
  const sessions = new Sessions(harness.store, harness.clock);
  await sessions.begin(owner, { device: words, stays: true });
  return {
    conversation,
    turn,
    approval: approval.tool_call_id,
    question: question.tool_call_id,
    artifact: artifact._id,
    connection: await makeConnection(connections, owner),
    flow: (await makeFlow(connections, owner, { turn_id: turn, tool_call_id: question.tool_call_id })).id,
    session: (await sessions.list(owner))[0]!.id,
  };
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

/** An answer in which the ids that were asked for cannot be told from others. */
export function withoutIds(text: string, ...asked: Ids[]): string {
  const ids = asked.flatMap((one) => Object.values<string>({ ...one }));
  return ids.reduce((rest, id) => rest.replaceAll(id, '<id>'), text);
}
