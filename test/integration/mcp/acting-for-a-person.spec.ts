import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createConnections, type Connections } from '#connections';
import { plainText } from '#contracts';
import { createMcpToolsets, type McpServer } from '#mcp';
import { createStore, type Store } from '#store';
import { systemTime } from '#time';
import type { Question, Reply, ToolContext, ToolsetHost } from '#tools';
import { recordingLogger, SERVER_DEFAULTS, toolContext } from '../../../libs/mcp/testing/fixture.js';
import { AccountMcpServer, LISTED } from '../../fakes/account-mcp-server.js';
import { walkToCallback } from '../../fakes/account-person.js';

/*
 * A real MCP server (the SDK's) behind a real authorization server (oidc-provider), and two workers with one store.
 */
const time = systemTime();
const settings = {
  tokenKeys: [randomBytes(32).toString('base64')],
  publicUrl: 'http://localhost:3000',
};

let accounts: AccountMcpServer;
let store: Store;
let connections: Connections;
let workers: ToolsetHost[];
let calls = 0;
const logger = recordingLogger();

beforeAll(async () => {
  accounts = await AccountMcpServer.start();
});
afterAll(() => accounts.stop());

beforeEach(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
  connections = createConnections(store, settings, { ...time, log: logger })!;
  logger.lines.length = 0;
  workers = [await startWorker(), await startWorker()];
  accounts.issuer.tokenRequests.length = 0;
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await store.close();
});

async function startWorker(oauth: object = { tools: LISTED.tools }): Promise<ToolsetHost> {
  const server = {
    ...{ ...SERVER_DEFAULTS, scope: 'user', name: 'notes', url: accounts.url, headers: {}, oauth },
  } as unknown as McpServer;
  const own = createConnections(store, settings, { ...time, log: logger });
  const [toolset] = createMcpToolsets([server], logger, { ...time, connections: own });
  await toolset!.start();
  return toolset!;
}

interface Asked {
  questions: Question[];
  ask: ToolContext['ask'];
}

/** A person with a browser, who connects their account when asked. */
function personAt(userId: string, account = userId): Asked {
  const questions: Question[] = [];
  const ask = async (question: Question): Promise<Reply> => {
    questions.push(question);
    const { flow } = (await connections.flows.getOpen(question.connection ?? '', userId))!;
    const back = (await walkToCallback(flow.authorization_url, account)).searchParams;
    const given = { code: back.get('code') ?? undefined, iss: back.get('iss') ?? undefined };
    const found = await connections.flows.giveOnce(back.get('state') ?? '', () => flow.browser, given);
    return found ? { action: 'accept', content: {} } : { action: 'decline' };
  };
  return { questions, ask };
}

const newCallId = () => `call_${String(++calls).padStart(22, '0')}`;

async function whoami(userId: string, { ask }: Pick<Asked, 'ask'>, worker = workers[0]!): Promise<string> {
  const [tool] = worker.tools();
  return plainText(await tool!.run({}, toolContext({ userId, toolCallId: newCallId(), ask })));
}

const noQuestion: Pick<Asked, 'ask'> = { ask: () => Promise.reject(new Error('the person was asked')) };

describe('a server that acts for a person', () => {
  it('asks each user once, and then acts with the account of this user, in every worker', async () => {
    const ann = personAt('ann');
    expect(await whoami('ann', ann)).toBe('account ann');
    expect(ann.questions).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('notes'),
        connection: expect.stringMatching(/^[\w-]{43}$/),
      }),
    ]);
    expect(await whoami('ann', noQuestion)).toBe('account ann');
    expect(await whoami('ann', noQuestion, workers[1])).toBe('account ann');
    const bob = personAt('bob');
    expect(await whoami('bob', bob)).toBe('account bob');
    expect(bob.questions).toHaveLength(1);
    expect(accounts.issuer.tokenRequests).toEqual(['authorization_code', 'authorization_code']);
  });

  it('refreshes an expired token once, although ten calls run at once in two workers', async () => {
    await whoami('ann', personAt('ann'));
    await whoami('ann', noQuestion, workers[1]);
    accounts.issuer.expireTokens();
    const all = Array.from({ length: 10 }, (_, n) => whoami('ann', noQuestion, workers[n % 2]));
    expect(await Promise.all(all)).toEqual(Array(10).fill('account ann'));
    expect(accounts.issuer.tokenRequests).toEqual(['authorization_code', 'refresh_token']);
  });

  it('refreshes before a token expires that it knows to be over soon', async () => {
    await whoami('ann', personAt('ann'));
    const place = { userId: 'ann', issuer: accounts.issuer.url, resource: accounts.url };
    const { grant } = (await connections.grants.get(place))!;
    await connections.grants.save(place, 'notes', { ...grant, expires_at: time.clock.wall() + 1_000 });
    expect(await whoami('ann', noQuestion)).toBe('account ann');
    expect(accounts.issuer.tokenRequests).toEqual(['authorization_code', 'refresh_token']);
  });

  it('asks again when the issuer no longer accepts the access', async () => {
    await whoami('ann', personAt('ann'));
    accounts.issuer.revokeAll();
    const again = personAt('ann');
    expect(await whoami('ann', again)).toBe('account ann');
    expect(again.questions).toHaveLength(1);
  });

  it('tells neither the model nor the log what the issuer repeats', async () => {
    await whoami('ann', personAt('ann'));
    const place = { userId: 'ann', issuer: accounts.issuer.url, resource: accounts.url };
    const { refresh_token } = (await connections.grants.get(place))!.grant.tokens;
    accounts.issuer.expireTokens();
    for (const brokenAnswer of [
      (body: string) => `you sent ${body}`,
      (body: string) => JSON.stringify({ error: 'server_error', error_description: body }),
    ]) {
      accounts.issuer.brokenAnswer = brokenAnswer;
      const failed = await whoami('ann', noQuestion).catch((error: unknown) => error);
      expect(failed).toMatchObject({ detail: { error_type: 'DependencyUnavailable' } });
      const { detail } = failed as { detail: object };
      expect(JSON.stringify([detail, logger.lines])).not.toContain(refresh_token);
    }
    accounts.issuer.brokenAnswer = undefined;
    expect(await whoami('ann', noQuestion)).toBe('account ann');
  });

  it('registers again at an issuer that has forgotten us', async () => {
    await whoami('ann', personAt('ann'));
    accounts.issuer.forgetClients();
    const again = personAt('ann');
    expect(await whoami('ann', again)).toBe('account ann');
    expect(again.questions).toHaveLength(1);
    accounts.issuer.forgetClients();
    // Nobody comes back from an issuer that does not know who sends people.
    const lost: Pick<Asked, 'ask'> = { ask: () => Promise.resolve({ action: 'cancel' }) };
    await expect(whoami('bob', lost)).rejects.toBeDefined();
    expect(await whoami('bob', personAt('bob'))).toBe('account bob');
  });

  it('asks again after the person has removed the access', async () => {
    await whoami('ann', personAt('ann'));
    const [listed] = await connections.grants.list('ann');
    expect(await connections.grants.remove('ann', listed!.id)).toBeTruthy();
    const again = personAt('ann');
    await whoami('ann', again);
    expect(again.questions).toHaveLength(1);
  });

  it('ends the call when its person declines, or does not answer', async () => {
    for (const action of ['decline', 'cancel'] as const) {
      const failed = whoami('eve', { ask: () => Promise.resolve({ action }) });
      await expect(failed).rejects.toMatchObject({ detail: { error_type: 'AuthenticationError' } });
    }
    expect(await connections.grants.list('eve')).toEqual([]);
  });

  it('does not believe an answer without a way to the issuer', async () => {
    const questions: Question[] = [];
    const ask: ToolContext['ask'] = async (question) => {
      questions.push(question);
      return { action: 'accept', content: {} };
    };
    await expect(whoami('eve', { ask })).rejects.toMatchObject({
      detail: { error_type: 'AuthenticationError' },
    });
    expect(questions.length).toBeLessThanOrEqual(3);
  });

  it('goes on when the person has connected in another call meanwhile', async () => {
    let isAsked = () => undefined as void;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const waiting = whoami('ann', {
      ask: (_question, { signal } = {}) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve({ action: 'cancel' }));
          isAsked();
        }),
    });
    await asked;
    await whoami('ann', personAt('ann'), workers[1]);
    expect(await waiting).toBe('account ann');
  });

  it('sends a token to no other server, even when it is redirected there', async () => {
    await whoami('ann', personAt('ann'));
    const before = accounts.tokens.size;
    accounts.redirectTo = 'http://127.0.0.1:1/elsewhere';
    await expect(whoami('ann', noQuestion)).rejects.toBeDefined();
    accounts.redirectTo = undefined;
    expect(accounts.tokens.size).toBe(before);
  });

  it('leaves no token in the log, and none in the store that can be read without the key', async () => {
    accounts.tokens.clear();
    await whoami('ann', personAt('ann'));
    accounts.issuer.expireTokens();
    await whoami('ann', noQuestion);
    accounts.issuer.revokeAll();
    await whoami('ann', { ask: () => Promise.resolve({ action: 'decline' }) }).catch(() => undefined);
    const rows = await Promise.all(
      ['ann', ''].flatMap((user) =>
        (['tokens', 'client', 'flow'] as const).map((kind) => store.listConnections(user, kind)),
      ),
    );
    const readable = JSON.stringify([logger.lines, rows]);
    expect(accounts.tokens.size).toBeGreaterThanOrEqual(2);
    for (const token of accounts.tokens) expect(readable).not.toContain(token);
  });

  it('is listed with a service token, which no call uses', async () => {
    const worker = await startWorker({ serviceToken: accounts.serviceToken });
    workers.push(worker);
    expect(worker.tools().map(({ definition }) => definition.own_name)).toEqual(['whoami']);
    accounts.tokens.clear();
    const ann = personAt('ann');
    expect(await whoami('ann', ann, worker)).toBe('account ann');
    expect(ann.questions).toHaveLength(1);
    expect([...accounts.tokens]).not.toContain(accounts.serviceToken);
  });
});
