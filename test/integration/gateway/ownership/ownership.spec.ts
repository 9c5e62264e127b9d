import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clientRequestSchemas, type ClientRequestName } from '#contracts';
import { waitFor } from '../../../services/wait-for.js';
import { GenesisClient } from '../../dialects/genesis-client.js';
import type { Client, Harness } from '../gateway-harness.js';
import { PlayedTurn } from '../played-turn.js';
import { HTTP_CASES, type Ask, type GuardedCase, type Reply, type RouteCase } from './http-cases.js';
import { readServed, readSocketEvents } from './served-routes.js';
import { SOCKET_CASES, UPGRADES } from './socket-cases.js';
import {
  ANNS_WORDS,
  badTokens,
  makeThings,
  startWithPeople,
  tokenOf,
  UNKNOWN,
  withoutIds,
  type Ids,
  type Person,
} from './things.js';

/*
 * Who may touch what, for everything that a gateway serves. A new route, event or dialect needs an entry in
 * http-cases.ts or socket-cases.ts; without one the tests of the first block fail and say what to write.
 */

let harness: Harness;
beforeAll(async () => {
  harness = await startWithPeople();
});
afterAll(() => harness.stop());

async function send(
  method: string,
  { path, body, headers = {}, isStream }: Ask,
  token?: string,
): Promise<Reply> {
  const response = await fetch(harness.url + path, {
    method: method === 'ALL' ? 'POST' : method,
    headers: {
      ...headers,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const begins = isStream && response.ok;
  if (begins) await response.body?.cancel();
  return {
    status: response.status,
    headers: response.headers,
    text: begins ? '' : await response.text(),
  };
}

function expectProblem({ status, headers, text }: Reply, expected: number, code: string): void {
  expect([status, headers.get('content-type')]).toEqual([
    expected,
    expect.stringContaining('application/problem+json'),
  ]);
  expect(JSON.parse(text)).toMatchObject({ status: expected, code, detail: expect.any(String) });
}

const headerNames = ({ headers }: Reply) => [...headers.keys()].toSorted();
const asPerson = async (person: Person, method: string, ask: Ask) => send(method, ask, await tokenOf(person));
/** One of each request of a case, about these things. */
const asksOf = ({ own, about = [] }: GuardedCase, ids: Ids): Ask[] => [
  ...(own ? [own] : []),
  ...about.map((build) => build(ids)),
];

const cases = Object.entries(HTTP_CASES).map(([route, how]) => {
  const [method = '', path = ''] = route.split(' ');
  return { route, method, path, how };
});
const isGuarded = (one: { how: RouteCase }): one is { how: GuardedCase } & (typeof cases)[number] =>
  !('open' in one.how);
const guarded = cases.filter(isGuarded);
const ofUsers = guarded.filter(({ how }) => !how.operator);
const ofOperators = guarded.filter(({ how }) => how.operator);

describe('the ownership table', () => {
  it('has an entry for every HTTP route, and no other', async () => {
    const { routes } = await readServed();
    const missing = routes.filter((route) => !(route in HTTP_CASES));
    const advice =
      'add an entry to HTTP_CASES (http-cases.ts): who may ask, and how to ask for a thing of Ann';
    expect(missing.map((route) => `${route}: ${advice}`)).toEqual([]);
    expect(Object.keys(HTTP_CASES).filter((route) => !routes.includes(route))).toEqual([]);
    expect(routes.length).toBeGreaterThan(20);
  });

  it('has an entry for every event of a socket, each of which has a schema', () => {
    const advice = 'add an entry to SOCKET_CASES (socket-cases.ts): how to ask for a thing of Ann';
    const missing = readSocketEvents().filter((event) => !(event in SOCKET_CASES));
    expect(missing.map((event) => `${event}: ${advice}`)).toEqual([]);
    expect(readSocketEvents()).toEqual(Object.keys(clientRequestSchemas).toSorted());
  });

  it('has an entry for everything that upgrades a connection', async () => {
    const { upgrades, upgradeListeners } = await readServed();
    const advice =
      'add it to UPGRADES (socket-cases.ts), and a test here of whom it lets in and what he reaches';
    expect([upgrades.toSorted(), advice]).toEqual([Object.keys(UPGRADES).toSorted(), advice]);
    // Nobody else takes handshakes over, on whatever path.
    expect([upgradeListeners, advice]).toEqual([2, advice]);
  });

  it.each(guarded)('requires something of $route', ({ how }) => {
    expect(asksOf(how, UNKNOWN).length).toBeGreaterThan(0);
  });
});

describe('without a valid token', () => {
  it.each(guarded)('$route is refused, whatever is wrong with the token', async ({ method, how }) => {
    const things = await makeThings(harness, 'ann');
    for (const ask of asksOf(how, things)) {
      const replies: Reply[] = [];
      for (const token of Object.values(await badTokens())) replies.push(await send(method, ask, token));
      const judge =
        how.refusesTokens ??
        ((reply) => {
          expectProblem(reply, 401, 'unauthorized');
          expect(reply.headers.get('www-authenticate')).toBe('Bearer');
        });
      replies.forEach(judge);
      expect(new Set(replies.slice(1).map(({ text }) => text)).size).toBe(1);
      expect(replies.map(({ text }) => text).join()).not.toContain(ANNS_WORDS);
    }
  });
});

describe('another user', () => {
  const about = ofUsers.flatMap(({ route, method, path, how }) =>
    (how.about ?? []).map((build, i) => ({
      name: i ? `${route} (${i + 1})` : route,
      method,
      path,
      how,
      build,
    })),
  );

  it.each(about)('gets from $name the answer for a missing object', async ({ method, how, build }) => {
    const things = await makeThings(harness, 'ann');
    const [foreign, missing] = [
      await asPerson('bob', method, build(things)),
      await asPerson('bob', method, build(UNKNOWN)),
    ];
    (how.hides ?? ((reply) => expectProblem(reply, 404, 'not_found')))(missing);
    expect(withoutIds(foreign.text, things)).toBe(withoutIds(missing.text, UNKNOWN));
    expect([foreign.status, headerNames(foreign)]).toEqual([missing.status, headerNames(missing)]);
    expect(foreign.text).not.toContain(ANNS_WORDS);
    const own = await asPerson('ann', method, build(things));
    expect(own.status).toBeLessThan(300);
    expect(withoutIds(own.text, things)).not.toBe(withoutIds(missing.text, UNKNOWN));
  });

  it.each(about.filter(({ path }) => path.includes(':tool_call_id')))(
    'reaches through $name no call of another turn, not even through a turn of his own',
    async ({ method, build }) => {
      const [anns, bobs] = [await makeThings(harness, 'ann'), await makeThings(harness, 'bob')];
      const mixed = { ...anns, turn: bobs.turn, conversation: bobs.conversation };
      expectProblem(await asPerson('bob', method, build(mixed)), 404, 'not_found');
    },
  );

  it.each(ofUsers.filter(({ how }) => how.own))('finds through $route only his own data', async (one) => {
    const things = await makeThings(harness, 'ann');
    const { status, text } = await asPerson('bob', one.method, one.how.own!);
    if (one.how.status === undefined) expect(status).toBeLessThan(300);
    else expect(status).toBe(one.how.status);
    for (const secret of [ANNS_WORDS, ...Object.values<string>({ ...things })])
      expect(text).not.toContain(secret);
  });
});

describe('a user who is not an operator', () => {
  it.each(ofOperators)('is refused by $route, regardless of the request', async ({ method, how }) => {
    const things = await makeThings(harness, 'ann');
    for (const ask of [...asksOf(how, things), ...asksOf(how, UNKNOWN)])
      for (const person of ['ann', 'bob'] as const) {
        const reply = await asPerson(person, method, ask);
        expectProblem(reply, 403, 'forbidden');
      }
  });

  it.each(ofOperators)('is distinguished by $route from an operator', async ({ method, how }) => {
    const things = await makeThings(harness, 'ann');
    await harness.store.putDeadLetter({
      _id: 'letter_1',
      ...{ queue: 'turns', reason: 'rejected', message_id: 'm', content: '{}', at: new Date().toISOString() },
    });
    await harness.store.putBinding({
      ...{ _id: 'invitation_1', user_id: 'olga', dialect: 'invitations', key: '', value: 'null' },
      at: new Date().toISOString(),
    });
    for (const ask of asksOf(how, things))
      expect([401, 403, 404]).not.toContain((await asPerson('olga', method, ask)).status);
    await harness.store.updateAccount('bob', { role: 'user' });
    harness.running.gateway.localAccounts!.known.forget('bob');
  });

  it('gets nothing of others by being an operator: conversations stay their owner’s', async () => {
    const things = await makeThings(harness, 'ann');
    const reply = await asPerson('olga', 'GET', { path: `/api/conversations/${things.conversation}` });
    expectProblem(reply, 404, 'not_found');
  });
});

describe('socket ownership', () => {
  const connect = async (person: Person) => harness.connect({ token: await tokenOf(person) });
  const events = Object.entries(SOCKET_CASES).map(([name, how]) => ({
    name: name as ClientRequestName,
    how,
  }));

  it('admits no connection without a valid token, wherever it stands', async () => {
    for (const [what, token] of Object.entries(await badTokens())) {
      const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
      for (const options of [{ token }, { headers }, { query: token }]) {
        const refusal: unknown = await harness.connect(options).catch((error: unknown) => error);
        expect([what, refusal]).toMatchObject([
          what,
          { message: 'unauthorized', data: { code: 'unauthorized' } },
        ]);
      }
    }
    for (const options of [{ token: await tokenOf('ann') }, { query: await tokenOf('ann') }])
      expect((await harness.connect(options)).socket.connected).toBe(true);
  });

  it.each(events)('answers $name about another user’s object as if it did not exist', async (one) => {
    const { name, how } = one;
    if ('own' in how) return expect(how.own).not.toBe('');
    const things = await makeThings(harness, 'ann');
    const bob = await connect('bob');
    const ask = (client: Client, ids: Ids) => client.request(name, how.about(ids));
    const [foreign, missing] = [await ask(bob, things), await ask(bob, UNKNOWN)];
    expect(foreign).toEqual(missing);
    if (how.isSilent === undefined) expect(missing).toMatchObject({ error: { code: 'not_found' } });
    expect(await ask(await connect('ann'), things)).not.toHaveProperty('error');
    expect(bob.received).toEqual([]);
  });

  it.each(['tool_approval', 'input'] as const)(
    'reaches through %s no call by means of another turn',
    async (name) => {
      const [anns, bobs] = [await makeThings(harness, 'ann'), await makeThings(harness, 'bob')];
      const how = SOCKET_CASES[name] as { about: (ids: Ids) => object };
      const answer = await (await connect('bob')).request(name, how.about({ ...anns, turn: bobs.turn }));
      expect(answer).toMatchObject({ error: { code: 'not_found' } });
    },
  );
});

describe('genesis-chat ownership', () => {
  const open = async (person: Person) => GenesisClient.open(harness.url, { token: await tokenOf(person) });

  it('admits no connection without a valid token, wherever it stands', async () => {
    for (const token of Object.values(await badTokens())) {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      for (const options of [{ token }, { headers }])
        await expect(GenesisClient.open(harness.url, options)).rejects.toMatchObject({
          status: 403,
          wasOpen: false,
        });
    }
  });

  it('answers a message to another user’s conversation as if it did not exist', async () => {
    const things = await makeThings(harness, 'ann');
    const bob = await open('bob');
    bob.say(things.conversation, 'hello');
    await bob.next('complete');
    bob.say(UNKNOWN.conversation, 'hello');
    await bob.next('complete', 2);
    const [foreign, missing] = [bob.frames.slice(0, 3), bob.frames.slice(3)];
    expect(foreign.map((frame) => ({ ...frame, conversation_id: '' }))).toEqual(
      missing.map((frame) => ({ ...frame, conversation_id: '' })),
    );
    expect(foreign).toMatchObject([{ type: 'error', code: 'ACCESS_DENIED' }, { type: 'token' }, {}]);
    bob.close();
  });

  it('sends no turn of another user, and none of his own that were sent elsewhere', async () => {
    const things = await makeThings(harness, 'ann');
    const [ann, other, bob] = [await open('ann'), await open('ann'), await open('bob')];
    ann.say(things.conversation, 'hello');
    const stopped = await send('POST', { path: `/api/turns/${things.turn}/stop` }, await tokenOf('ann'));
    expect(stopped.status).toBe(200);
    const newest = async () => (await harness.store.listTurns(things.conversation, { limit: 1 }))[0]!._id;
    // It came on another connection than the stop.
    await waitFor(async () => (await newest()) !== things.turn, { what: 'the turn of the message' });
    await (await PlayedTurn.take(harness, await newest())).answer(ANNS_WORDS);
    await ann.next('complete');
    expect([other.frames, bob.frames]).toEqual([[], []]);
    for (const client of [ann, other, bob]) client.close();
  });
});
