import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createStore, type Store } from '#store';
import { createConnections, type Connections } from './create-connections.js';
import type { Flow } from './flows.js';

const HOUR_MS = 3_600_000;
const ABOUT = {
  userId: 'ann',
  server: 'crm',
  issuer: 'https://id.example.com',
  resource: 'https://crm.example.com',
};

const log = { warn: () => undefined };

let store: Store;
let now: number;
let connections: Connections;
let id: string;
let flow: Flow;

beforeEach(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
  now = Date.parse('2026-03-01T10:00:00.000Z');
  const clock = { now: () => now, wall: () => now, sleep: () => Promise.resolve() };
  const settings = { tokenKeys: [randomBytes(32).toString('base64')], publicUrl: 'https://chat.example.com' };
  connections = createConnections(store, settings, { clock, log })!;
  id = connections.flows.idFor('call_1', 'crm', 1);
  flow = {
    turn_id: 't',
    tool_call_id: 'call_1',
    authorization_url: 'https://id.example.com/auth?state=s3cret',
    ...connections.flows.newState(id),
    redirect_uri: connections.redirectUri,
    verifier: 's3cret-verifier',
    client: { client_id: 'us' },
    discovery: {},
  };
  await connections.flows.insert(id, ABOUT, flow, HOUR_MS);
});
afterEach(() => store.close());

const give = (state = flow.state, browser: string | undefined = flow.browser) =>
  connections.flows.giveOnce(state, () => browser, { code: 'code' });

describe('a person on the way to an issuer', () => {
  it('is expected back once, with the state and in the browser that got the address', async () => {
    expect(await give(`${id}.other`)).toBeUndefined();
    expect(await give(id)).toBeUndefined();
    expect(await give('nothing')).toBeUndefined();
    expect(await give(flow.state, 'another browser')).toBeUndefined();
    expect(await give(flow.state, '')).toBeUndefined();
    expect(await give()).toMatchObject({ id, about: ABOUT });
    expect(await give()).toBeUndefined();
  });

  it('of several who come back at once only one is let in, and one process takes the code', async () => {
    const ends = await Promise.all([give(), give(), give()]);
    expect(ends.filter(Boolean)).toHaveLength(1);
    const taken = await Promise.all([connections.flows.take(id), connections.flows.take(id)]);
    expect(taken.filter(Boolean)).toMatchObject([{ flow: { given: { code: 'code' } } }]);
    expect(await give()).toBeUndefined();
  });

  it('is of one user only, and over after its time', async () => {
    expect(await connections.flows.getOpen(id, 'bob')).toBeUndefined();
    expect(await connections.flows.getOpen(id, 'ann')).toMatchObject({ flow });
    now += HOUR_MS;
    expect(await connections.flows.getOpen(id, 'ann')).toBeUndefined();
    expect(await give()).toBeUndefined();
  });

  it('leaves nothing readable in the store', async () => {
    expect(await connections.flows.take(id)).toBeUndefined();
    expect(JSON.stringify(await store.getConnection(id))).not.toContain('s3cret');
  });

  it('has one flow in all attempts of its call', async () => {
    await connections.flows.insert(id, ABOUT, { ...flow, state: `${id}.later` }, HOUR_MS);
    expect((await connections.flows.get(id))?.flow.state).toBe(flow.state);
    await connections.flows.drop(id);
    expect(await connections.flows.get(id)).toBeUndefined();
  });
});
