import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { newMessage } from '#contracts';
import type { Bus } from '#messaging';
import { systemTime } from '#time';
import { announcedTool, announcedToolset } from '../../../libs/tools/testing/toolsets.js';
import { waitFor } from '../../services/wait-for.js';
import { waitSkipping } from '../../services/wait-skipping.js';
import { startHarness, type Harness } from './gateway-harness.js';
import { PendingTimers } from './pending-timers.js';

type Held = 'listConversations' | 'getTurn' | 'readJournal' | 'readJournals' | 'insertTurn';

/** A gateway, and everything that it holds for clients: with one tool, `math.add`, and nobody who drives turns. */
export class WatchedGateway {
  private timersBefore = 0;

  private constructor(
    readonly harness: Harness,
    readonly timers: PendingTimers,
    private readonly bound: ReadonlySet<string>,
  ) {}

  static async start(): Promise<WatchedGateway> {
    const timers = new PendingTimers();
    const bound = new Set<string>();
    const harness = await startHarness({
      limits: { turnsAtOnce: 100_000 },
      alter: ({ bus }) => ({ bus: watchBindings(bus, bound) }),
    });
    const watched = new WatchedGateway(harness, timers, bound);
    await watched.announceTool();
    await harness.running.gateway.offeredTools.rollCalled();
    watched.timersBefore = timers.list().length;
    return watched;
  }

  /** A gateway forgets what no worker has announced for a while. */
  async announceTool(): Promise<void> {
    const { driver, running } = this.harness;
    const worker = 'worker-00000000-0000-4000-8000-000000000003';
    const toolsets = [announcedToolset('math', [announcedTool('math', 'add')])];
    await driver.send('gateway.all', newMessage(systemTime(), 'catalog.announce', { worker, toolsets }));
    await waitFor(() => running.gateway.offeredTools.listAll().length === 1, { what: 'the tool' });
  }

  async stop(): Promise<void> {
    this.timers.restore();
    await this.harness.stop();
  }

  get holds() {
    const { feeds, sockets, mcpServer } = this.harness.running.gateway;
    const { bus } = mcpServer as McpHttpHandler & { bus: { listenerCount: number } };
    return {
      feeds: feeds.size,
      viewers: feeds.viewers,
      bindings: this.bound.size,
      sockets,
      listeners: bus.listenerCount,
      timers: this.timers.list().length - this.timersBefore,
    };
  }

  /** Nothing is held any more. */
  async idle(): Promise<void> {
    const zero = { feeds: 0, viewers: 0, bindings: 0, sockets: 0, listeners: 0, timers: 0 };
    const isIdle = () => {
      const { holds } = this;
      if (JSON.stringify(holds) === JSON.stringify(zero)) return true;
      throw new Error([JSON.stringify(holds), ...this.timers.list().slice(this.timersBefore)].join('\n'));
    };
    // The gateway gathers for a second what it tells others, and lets a conversation linger.
    await waitSkipping(this.harness.clock, isIdle, { what: 'the end of what is held', withinMs: 10_000 });
  }

  async holding(what: 'viewers' | 'sockets' | 'listeners', count: number): Promise<void> {
    await waitFor(() => this.holds[what] === count, { what: `${count} ${what}`, intervalMs: 1 });
  }

  unended() {
    return this.harness.store.listUnendedTurnsOf('local');
  }

  async newestTurn() {
    await waitFor(async () => (await this.unended()).length > 0, { what: 'the turn', intervalMs: 1 });
    return (await this.unended())[0]!;
  }

  /** For the next test. */
  async endTurns(): Promise<void> {
    for (const { _id } of await this.unended()) await this.harness.store.setTurnStatus(_id, 'cancelled');
  }

  /** Until the gateway has noticed what happened to its connections before. */
  async noticed(): Promise<void> {
    await (await fetch(`${this.harness.url}/health/live`)).arrayBuffer();
  }

  /** `begin` sets off an operation of the store, `leave` comes in the middle of it; then the turn is begun all the same. */
  async during(operation: Held, begin: () => void, leave: () => Promise<void>): Promise<void> {
    const { store, announced } = this.harness;
    const original = store[operation].bind(store) as (...args: unknown[]) => Promise<unknown>;
    const before = announced.size;
    let letGo = (): void => undefined;
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    let begun = 0;
    const held = (...args: unknown[]) => (begun++, gate.then(() => original(...args)));
    Object.assign(store, { [operation]: held });
    begin();
    await waitFor(() => begun > 0, { what: operation, intervalMs: 1 });
    await leave();
    letGo();
    Object.assign(store, { [operation]: original });
    if (operation === 'getTurn' || operation === 'insertTurn')
      await waitFor(() => announced.size > before, { what: 'the turn', intervalMs: 1 });
  }
}

function watchBindings(bus: Bus, bound: Set<string>): Bus {
  const watched = {
    follow: (id: string) => (bound.add(id), bus.follow(id)),
    unfollow: (id: string) => (bound.delete(id), bus.unfollow(id)),
  };
  return new Proxy(bus, {
    get: (target, name: keyof Bus) => {
      const value: unknown = name in watched ? watched[name as keyof typeof watched] : target[name];
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
