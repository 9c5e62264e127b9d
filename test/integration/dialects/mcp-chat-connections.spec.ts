import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createStore, type Store } from '#store';
import { SystemClock, SystemRandom } from '#time';
import { LOCAL_USER } from '../../../apps/gateway/people/auth/user.js';
import { newConversation } from '../../../apps/gateway/turns/conversations.js';
import { Bindings } from '../../../apps/gateway/people/bindings.js';
import {
  CONNECTION_KEPT_MS,
  Connections,
  selectionSchema,
} from '../../../apps/gateway/dialects/mcp-chat/connections.js';
import { RequestError } from '../../../apps/gateway/errors/request-error.js';
import type { ConversationSeed } from '../../../apps/gateway/turns/submit-turn.js';
import { waitFor } from '../../services/wait-for.js';

let store: Store;
let now: number;
beforeEach(async () => {
  now = Date.UTC(2026, 0, 1);
  store = createStore({ dataDir: ':memory:' });
  await store.open();
});
afterEach(() => store.close());

/** One of several gateways over the same store; `said` are conversation and tools of each message. */
function gateway({ room = Infinity } = {}) {
  const said: string[] = [];
  const reads: (() => void)[] = [];
  let isHeld = false;
  /** Once `hold` is called, what has been read waits for `letGo`, which may be called once `isHolding`. */
  const bindings = {
    getBinding: async (id: string) => {
      const row = await store.getBinding(id);
      if (isHeld) await new Promise<void>((resolve) => reads.push(resolve));
      return row;
    },
    putBinding: store.putBinding.bind(store),
    insertBinding: store.insertBinding.bind(store),
    prolongBinding: store.prolongBinding.bind(store),
  };
  const kept = { keptMs: CONNECTION_KEPT_MS, clock: { wall: () => now } };
  const find = (_user: unknown, id: string) => Promise.resolve({ id, name: id, tools: [] });
  const connections = new Connections({
    random: new SystemRandom(),
    servers: { find, findLive: find } as never,
    selections: new Bindings(bindings, 'mcp-chat-sse', selectionSchema, kept),
    store,
    turns: {
      start: async (user, { options }, place: ConversationSeed = {}) => {
        const { conversationId = 'none' } = place;
        await store.insertConversation(newConversation(new SystemClock(), conversationId, user.id));
        said.push(`${conversationId} ${options?.tools?.allow?.join()}`);
        return undefined as never;
      },
    },
    admission: {
      count: () => {
        if (--room < 0) throw new RequestError('overloaded', 'Too many.', 1_000);
      },
    },
  });
  const connect = (server: string, session = 's') => connections.connect(LOCAL_USER, session, server);
  const chat = async (session = 's') => {
    await connections.chat(LOCAL_USER, session, 'Hi');
    const [conversation, tools] = said.at(-1)!.split(' ');
    return { conversation: conversation!, tools };
  };
  const hold = () => void (isHeld = true);
  const isHolding = () => waitFor(() => reads.length > 0, { what: 'something read' });
  const letGo = () => {
    isHeld = false;
    for (const resolve of reads.splice(0)) resolve();
  };
  return { connections, connect, chat, hold, isHolding, letGo };
}

describe('mcp-chat connections of one session through two gateways at once', () => {
  it.each(['the first', 'a later'])('%s: two servers never share a conversation', async (which) => {
    const [one, two] = [gateway(), gateway()];
    if (which === 'a later') await one.connect('old');
    two.hold();
    const late = two.connect('beta');
    await two.isHolding();
    await one.connect('alpha');
    const alpha = await one.chat();
    two.letGo();
    await late;
    const beta = await two.chat();
    expect([alpha.tools, beta.tools]).toEqual(['mcp:alpha', 'mcp:beta']);
    expect(beta.conversation).not.toBe(alpha.conversation);
    expect(await one.chat()).toEqual(beta);
  });

  it.each(['the first', 'a later'])('%s: the same server twice is one conversation', async (which) => {
    const [one, two] = [gateway(), gateway()];
    if (which === 'a later') await one.connect('old');
    two.hold();
    const late = two.connect('alpha');
    await two.isHolding();
    await one.connect('alpha');
    const before = await one.chat();
    two.letGo();
    await late;
    expect(await two.chat()).toEqual(before);
    expect(await one.chat()).toEqual(before);
  });

  it('continue in the same conversation when theirs was deleted', async () => {
    const [one, two] = [gateway(), gateway()];
    await one.connect('alpha');
    const first = await one.chat();
    await store.updateConversation(first.conversation, { deleted_at: new Date(now).toISOString() });
    const [next, same] = await Promise.all([one.chat(), two.chat()]);
    expect(next).toEqual(same);
    expect(next.conversation).not.toBe(first.conversation);
    expect(next.tools).toBe('mcp:alpha');
  });
});

describe('mcp-chat connections of one user', () => {
  it('are limited like messages if they are new', async () => {
    const { connect, connections } = gateway({ room: 2 });
    await connect('alpha', 'a');
    await connect('alpha', 'b');
    await expect(connect('alpha', 'c')).rejects.toMatchObject({ code: 'overloaded' });
    for (const server of ['beta', 'alpha', 'beta']) await connect(server, 'a');
    await connections.disconnect(LOCAL_USER, 'c');
    expect(await store.listBindings(LOCAL_USER.id, 'mcp-chat-sse')).toHaveLength(2);
  });

  it('are removed after thirty days without use, and start a new conversation then', async () => {
    const { connect, chat, connections } = gateway();
    await connect('alpha');
    const first = await chat();
    const days = async (count: number) => {
      now += count * 24 * 3_600_000;
      await store.removeExpiredBindings(new Date(now).toISOString(), 10);
    };
    await days(29);
    expect(await connections.status(LOCAL_USER, 's')).toMatchObject({ id: 'alpha' });
    await days(29);
    expect(await chat()).toEqual(first);
    await days(31);
    expect(await connections.status(LOCAL_USER, 's')).toBeUndefined();
    await connect('alpha');
    expect((await chat()).conversation).not.toBe(first.conversation);
  });
});
