import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createStore, type Store } from '#store';
import { systemTime } from '#time';
import { createConnections, type Connections } from './create-connections.js';
import type { Grant } from './grants.js';

const KEY = randomBytes(32).toString('base64');
const PLACE = { userId: 'ann', issuer: 'https://id.example.com', resource: 'https://crm.example.com/mcp' };
const ABOUT = { server: 'crm', issuer: PLACE.issuer, resource: PLACE.resource };
const { clock } = systemTime();
const warned: object[] = [];
const log = { warn: (fields: object, text: string) => void warned.push({ ...fields, text }) };

let store: Store;
/** Two processes of one fleet. */
let one: Connections;
let two: Connections;

const grant = (access_token: string, refresh_token = 'refresh'): Grant => ({
  tokens: { access_token, token_type: 'Bearer', refresh_token },
  client: { client_id: 'us' },
});
const create = (key = KEY) =>
  createConnections(store, { tokenKeys: [key], publicUrl: 'https://chat.example.com' }, { clock, log })!;
const tokenOf = async (connections: Connections, place = PLACE) =>
  (await connections.grants.get(place))?.grant.tokens.access_token;

beforeEach(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
  one = create();
  two = create();
});
afterEach(() => store.close());

describe('the tokens of a user', () => {
  it('are those of one user, one issuer and one resource, the last ones', async () => {
    await one.grants.save(PLACE, 'crm', grant('a'));
    await two.grants.save(PLACE, 'crm', grant('b'));
    expect(await tokenOf(one)).toBe('b');
    for (const other of [
      { userId: 'bob' },
      { issuer: 'https://x.example' },
      { resource: 'https://y.example' },
    ])
      expect(await tokenOf(one, { ...PLACE, ...other })).toBeUndefined();
  });

  it('cannot be read without the key, and do not exist for another key', async () => {
    await one.grants.save(PLACE, 'crm', grant('s3cret-access', 's3cret-refresh'));
    const rows = await store.listConnections('ann', 'tokens');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('s3cret');
    const stranger = create(randomBytes(32).toString('base64'));
    warned.length = 0;
    expect(await tokenOf(stranger)).toBeUndefined();
    const text = expect.stringContaining('TOKEN_KEYS must be the same');
    expect(warned).toEqual([{ kind: 'tokens', server: 'crm', text }]);
    await stranger.grants.save(PLACE, 'crm', grant('new'));
    expect(await tokenOf(stranger)).toBe('new');
  });

  it('of one row do not open in another row', async () => {
    await one.grants.save(PLACE, 'crm', grant('of ann'));
    await one.grants.save({ ...PLACE, userId: 'bob' }, 'crm', grant('of bob'));
    const [ann] = await store.listConnections('ann', 'tokens');
    const [bob] = await store.listConnections('bob', 'tokens');
    const { sealed, at } = ann!;
    await store.changeConnection(bob!._id, bob!.version, { version: 'x', sealed, at });
    expect(await tokenOf(one, { ...PLACE, userId: 'bob' })).toBeUndefined();
  });

  it('are listed without a token, and removed by their user only', async () => {
    await one.grants.save(PLACE, 'crm', grant('a'));
    const [listed] = await one.grants.list('ann');
    expect(listed).toEqual({ id: expect.any(String), ...ABOUT, at: expect.any(String) });
    expect(await one.grants.remove('bob', listed!.id)).toBeUndefined();
    expect(await one.grants.remove('ann', listed!.id)).toEqual(grant('a'));
    expect(await one.grants.remove('ann', listed!.id)).toBeUndefined();
    expect(await one.grants.list('ann')).toEqual([]);
  });
});

describe('a refresh', () => {
  const refreshAll = async (renew: (grant: Grant) => Promise<Grant | undefined>) => {
    await one.grants.save(PLACE, 'crm', grant('old'));
    const known = (await one.grants.get(PLACE))!;
    const fleet = Array.from({ length: 10 }, (_, n) => (n % 2 ? one : two));
    return Promise.all(fleet.map(({ grants }) => grants.refresh(known, renew)));
  };

  it('is made once, however many processes want it, and all get its tokens', async () => {
    let renewed = 0;
    const all = await refreshAll(async () => {
      renewed++;
      await clock.sleep(5);
      return grant('new');
    });
    expect(renewed).toBe(1);
    expect(all.map((known) => known?.grant.tokens.access_token)).toEqual(Array(10).fill('new'));
  });

  it('that the issuer refuses forgets the tokens', async () => {
    expect(await refreshAll(async () => undefined)).toEqual(Array(10).fill(undefined));
    expect(await tokenOf(one)).toBeUndefined();
  });

  it('that fails leaves the tokens for the next one', async () => {
    await one.grants.save(PLACE, 'crm', grant('old'));
    const known = (await one.grants.get(PLACE))!;
    const failing = one.grants.refresh(known, () => Promise.reject(new Error('away')));
    await expect(failing).rejects.toThrow('away');
    const again = await two.grants.refresh(known, async () => grant('new'));
    expect(again?.grant.tokens.access_token).toBe('new');
  });

  it('never overwrites tokens that the person has given meanwhile, nor brings back removed ones', async () => {
    await one.grants.save(PLACE, 'crm', grant('old'));
    const known = (await one.grants.get(PLACE))!;
    const meanwhile = await one.grants.refresh(known, async () => {
      await two.grants.save(PLACE, 'crm', grant('given'));
      return grant('refreshed');
    });
    expect(meanwhile?.grant.tokens.access_token).toBe('given');
    const removed = await one.grants.refresh(meanwhile!, async () => {
      await two.grants.remove('ann', known.id);
      return grant('refreshed');
    });
    expect(removed).toBeUndefined();
    expect(await tokenOf(one)).toBeUndefined();
  });

  it('is taken over when its process was lost', async () => {
    let now = 0;
    const settings = { tokenKeys: [KEY], publicUrl: 'https://chat.example.com' };
    const later = { now: () => now, wall: () => clock.wall(), sleep: async () => void (now += 10_000) };
    const third = createConnections(store, settings, { clock: later, log })!;
    await one.grants.save(PLACE, 'crm', grant('old'));
    const known = (await one.grants.get(PLACE))!;
    void two.grants.refresh(known, () => new Promise(() => undefined));
    // The claim of the lost process is there.
    const renewed = await third.grants.refresh(known, async () => grant('new'));
    expect(renewed?.grant.tokens.access_token).toBe('new');
    expect(now).toBe(30_000);
  });

  it('is not taken from a process that began after another one had failed', async () => {
    const settings = { tokenKeys: [KEY], publicUrl: 'https://chat.example.com' };
    let now = 0;
    let looks = 0;
    await one.grants.save(PLACE, 'crm', grant('old'));
    const known = (await one.grants.get(PLACE))!;
    let fail = () => undefined as void;
    const failing = new Promise<never>((_, reject) => (fail = () => reject(new Error('away'))));
    const first = one.grants.refresh(known, () => failing);
    let end = (_: Grant) => undefined as void;
    let second: Promise<unknown> = Promise.resolve();
    const sleep = async () => {
      now += 10_000;
      looks++;
      // The first one fails when it was seen for 20 s, and another one begins at once.
      if (looks === 2) {
        fail();
        await first.catch(() => undefined);
        second = two.grants.refresh(known, () => new Promise((resolve) => (end = resolve)));
        await clock.sleep(5);
      }
      if (looks === 4) {
        end(grant('once'));
        await second;
      }
    };
    const third = createConnections(store, settings, {
      clock: { now: () => now, wall: () => clock.wall(), sleep },
      log,
    })!;
    const all = await third.grants.refresh(known, async () => grant('twice'));
    expect(all?.grant.tokens.access_token).toBe('once');
  });

  it('is not taken over by a process whose time of day is wrong', async () => {
    const settings = { tokenKeys: [KEY], publicUrl: 'https://chat.example.com' };
    let hasLooked = () => undefined as void;
    const looked = new Promise<void>((resolve) => (hasLooked = resolve));
    const sleep = (ms: number) => (hasLooked(), clock.sleep(ms));
    const wrong = { now: () => clock.now(), wall: () => clock.wall() + 86_400_000, sleep };
    const third = createConnections(store, settings, { clock: wrong, log })!;
    await one.grants.save(PLACE, 'crm', grant('old'));
    const known = (await one.grants.get(PLACE))!;
    let end = (_: Grant) => undefined as void;
    const first = two.grants.refresh(known, () => new Promise((resolve) => (end = resolve)));
    const second = third.grants.refresh(known, async () => grant('twice'));
    await looked;
    end(grant('once'));
    expect((await second)?.grant.tokens.access_token).toBe('once');
    expect((await first)?.grant.tokens.access_token).toBe('once');
  });
});

describe('a registration at an issuer', () => {
  it('is found for its issuer, server and address only', async () => {
    const place = { issuer: PLACE.issuer, server: 'crm', redirectUri: one.redirectUri };
    await one.clients.save(place, { client_id: 'x', client_secret: 's3cret' });
    expect(await two.clients.get(place)).toEqual({ client_id: 'x', client_secret: 's3cret' });
    expect(await two.clients.get({ ...place, issuer: 'https://other.example' })).toBeUndefined();
    expect(JSON.stringify(await store.listConnections('', 'client'))).not.toContain('s3cret');
  });
});
