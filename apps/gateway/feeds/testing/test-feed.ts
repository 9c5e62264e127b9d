import type { ConversationEvent, StepView, TurnView, View } from '#contracts';
import { SeededRandom, VirtualClock } from '#time/testing';
import { emptyView } from '#turn';
import { DEFAULT_FEED_TIMINGS } from '../feed-timings.js';
import { Feed } from '../feed.js';
import type { Room, ServerEvent, Viewer } from '../viewer.js';

export const ID = 'conv_1';
export const fields = { conversation_id: ID, turn_id: 'turn_1', timestamp: '2026-01-01T00:00:00.000Z' };

class TestViewer implements Viewer {
  readonly told: ServerEvent[] = [];
  readonly budget = { length: 0 };
  behind = false;
  private drained: (() => void)[] = [];

  send(event: ServerEvent): void {
    this.told.push(event);
  }
  isBehind(): boolean {
    return this.behind;
  }
  onceDrained(listener: () => void): void {
    this.drained.push(listener);
  }
  drain(): void {
    this.behind = false;
    for (const listener of this.drained.splice(0)) listener();
  }
  get types(): string[] {
    return this.told.map((event) => event.type);
  }
}

/** A feed in a test that decides when the store answers and when time passes. */
export function setUp() {
  const random = new SeededRandom(1);
  const clock = new VirtualClock(random);
  const members = new Set<TestViewer>();
  const room: Room = {
    enter: (viewer) => void members.add(viewer as TestViewer),
    leave: (viewer) => void members.delete(viewer as TestViewer),
    broadcast: (event) => {
      for (const member of members) member.send(event);
    },
  };
  const reads: {
    answer(view: View | null): Promise<void>;
    fail(): Promise<void>;
    shown: View | undefined;
  }[] = [];
  const feed = new Feed(ID, room, {
    readView: (_id, shown) =>
      new Promise((resolve, reject) => {
        const flush = () => clock.runUntilIdle();
        reads.push({
          shown,
          answer: (view) => (resolve(view), flush()),
          fail: () => (reject(new Error('down')), flush()),
        });
      }),
    timings: DEFAULT_FEED_TIMINGS,
    counters: { relayed: () => undefined, dropped: () => undefined, snapshots: () => undefined },
    log: { warn: () => undefined } as never,
    clock,
    random,
  });
  const join = (): TestViewer => {
    const viewer = new TestViewer();
    feed.add(viewer);
    return viewer;
  };
  return { clock, feed, reads, join, pass: (ms: number) => clock.advance(ms) };
}

export function running(text: string, more: Partial<StepView> = {}, turn: Partial<TurnView> = {}): View {
  const step = { n: 1, attempt: 100, text, calls: [], ...more };
  const { turn_id, timestamp: at } = fields;
  const shown = {
    turn_id,
    number: 1,
    content: 'q',
    by: 'ann',
    client_message_id: 'm',
    status: 'running' as const,
    at,
  };
  return { ...emptyView(ID), turns: [{ ...shown, steps: [step], ...turn }] };
}
export const token = (content: string, offset: number): ConversationEvent => ({
  type: 'token',
  ...fields,
  step: 1,
  attempt: 100,
  content,
  offset,
});
export const completed = (text: string): View =>
  running(
    text,
    { committed: true },
    { status: 'completed', ended_at: fields.timestamp, message_id: 'turn_1:1', usage: undefined },
  );
