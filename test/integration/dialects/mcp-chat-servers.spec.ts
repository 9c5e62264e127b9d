import { describe, expect, it, jest } from '@jest/globals';
import type { CatalogTool } from '#contracts';
import { createStore } from '#store';
import { Catalogue } from '#tools';
import { announcedTool, announcedToolset } from '../../../libs/tools/testing/toolsets.js';
import { Bindings } from '../../../apps/gateway/people/bindings.js';
import { LOCAL_USER, type User } from '../../../apps/gateway/people/auth/user.js';
import { seenServersSchema, Servers } from '../../../apps/gateway/dialects/mcp-chat/servers.js';

const DAY_MS = 24 * 3_600_000;

/** A gateway that hears what the test says. */
class Heard {
  private readonly catalogue = new Catalogue();
  private listeners: (() => void)[] = [];
  /** Runs when somebody waits for the roll-call. */
  whenAsked: () => void = () => undefined;

  announce(...toolsets: Parameters<Catalogue['announce']>[1]): void {
    this.catalogue.announce('worker-1', toolsets, 0);
    for (const listener of this.listeners) listener();
  }
  listAll(): CatalogTool[] {
    return this.catalogue.offered();
  }
  async listFor({ roles }: User): Promise<CatalogTool[]> {
    return this.listAll().filter(({ toolset }) => this.isFor(toolset, roles));
  }
  async toolsetsFor({ roles }: User): Promise<(toolset: string) => boolean> {
    return (toolset) => this.isFor(toolset, roles);
  }
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }
  rollCalled(): Promise<void> {
    this.whenAsked();
    return Promise.resolve();
  }
  /** `secret` is for the role `agent`. */
  private isFor(toolset: string, roles: readonly string[]): boolean {
    return toolset !== 'secret' || roles.includes('agent');
  }
}

const math = announcedToolset('math', [announcedTool('math', 'add', ''), announcedTool('math', 'multiply')]);
const odd = announcedToolset('My: server', [announcedTool('My: server', 'get-Weather')], '1.0.0', 'mcp');

async function setUp() {
  const store = createStore({ dataDir: ':memory:' });
  await store.open();
  const time = { now: 0 };
  const clock = { wall: () => time.now };
  const start = () => {
    const heard = new Heard();
    const servers = new Servers(
      heard,
      new Bindings(store, 'mcp-chat-sse', seenServersSchema, { clock }),
      clock,
    );
    return { heard, servers };
  };
  return { time, store, start, close: () => store.close() };
}

describe('mcp-chat servers', () => {
  it('are the local and MCP toolsets, by their own names', async () => {
    const { start, close } = await setUp();
    const { heard, servers } = start();
    expect(await servers.list(LOCAL_USER)).toEqual([]);
    heard.announce(odd, math);
    expect(await servers.list(LOCAL_USER)).toEqual([
      {
        id: 'math',
        name: 'math',
        tools: [
          { name: 'add', description: '' },
          { name: 'multiply', description: 'multiply' },
        ],
      },
      { id: odd.name, name: 'My: server', tools: [{ name: 'get-Weather', description: 'get-Weather' }] },
    ]);
    await close();
  });

  it('stay known without their worker, also after a restart and to other gateways', async () => {
    const { start, close } = await setUp();
    const first = start();
    first.heard.announce(math);
    first.heard.announce();
    expect(await first.servers.list(LOCAL_USER)).toEqual([{ id: 'math', name: 'math' }]);
    const second = start();
    expect(await second.servers.find(LOCAL_USER, 'math')).toEqual({ id: 'math', name: 'math' });
    expect(await second.servers.find(LOCAL_USER, 'nope')).toBeUndefined();
    expect(await second.servers.findLive(LOCAL_USER, 'math')).toBeUndefined();
    second.heard.announce(math);
    expect(await second.servers.findLive(LOCAL_USER, 'math')).toMatchObject({ id: 'math' });
    await close();
  });

  it('are forgotten a week after they were last seen', async () => {
    const { time, start, close } = await setUp();
    const { heard, servers } = start();
    heard.announce(math, odd);
    await servers.list(LOCAL_USER);
    time.now = 5 * DAY_MS;
    heard.announce(math);
    await servers.list(LOCAL_USER);
    time.now = 8 * DAY_MS;
    expect((await start().servers.list(LOCAL_USER)).map(({ id }) => id)).toEqual(['math']);
    time.now = 13 * DAY_MS;
    expect(await start().servers.list(LOCAL_USER)).toEqual([]);
    await close();
  });

  it('are no longer stored once they are forgotten', async () => {
    const { time, store, start, close } = await setUp();
    const { heard, servers } = start();
    heard.announce(math, odd);
    await servers.list(LOCAL_USER);
    time.now = 8 * DAY_MS;
    heard.announce(odd);
    await servers.list(LOCAL_USER);
    const write = jest.spyOn(store, 'putBinding');
    expect((await servers.list(LOCAL_USER)).map(({ id }) => id)).toEqual([odd.name]);
    expect(write).not.toHaveBeenCalled();
    await close();
  });

  it('are only those that the user may use, also without their worker', async () => {
    const { start, close } = await setUp();
    const { heard, servers } = start();
    heard.announce(math, announcedToolset('secret', [announcedTool('secret', 'tell')]));
    const agent = { ...LOCAL_USER, roles: ['agent'] };
    const idsFor = async (user: User) => (await servers.list(user)).map(({ id }) => id);
    expect([await idsFor(LOCAL_USER), await idsFor(agent)]).toEqual([['math'], ['math', 'secret']]);
    heard.announce();
    expect([await idsFor(LOCAL_USER), await idsFor(agent)]).toEqual([['math'], ['math', 'secret']]);
    expect(await servers.find(LOCAL_USER, 'secret')).toBeUndefined();
    await close();
  });

  it('are awaited while a process has just begun its roll-call', async () => {
    const { start, close } = await setUp();
    const { heard, servers } = start();
    heard.whenAsked = () => heard.announce(math);
    expect(await servers.findLive(LOCAL_USER, 'math')).toMatchObject({ id: 'math' });
    expect(await servers.find(LOCAL_USER, 'math')).toMatchObject({ id: 'math' });
    const other = start();
    other.heard.whenAsked = () => other.heard.announce(odd);
    expect((await other.servers.list(LOCAL_USER)).map(({ id }) => id)).toEqual(['math', odd.name]);
    await close();
  });
});
