import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairLine } from './fair-line.js';

const PLACES = 16;

/** A toolset's queue and its workers: takes calls in order, up to `PLACES` at once. */
class Fleet {
  readonly started: string[] = [];
  readonly running: string[] = [];
  readonly waiting: string[] = [];
  readonly line: FairLine;
  now = 0;

  constructor(
    readonly places = PLACES,
    readonly known = places,
    processes = 1,
  ) {
    this.line = new FairLine({
      places: () => this.known,
      share: 0.25,
      processes: () => processes,
      clock: { now: () => this.now },
    });
  }

  ask(id: string): void {
    const send = () => this.send(id);
    if (this.line.ask(id, userOf(id), send)) send();
  }

  /** The `index`th of those that run. */
  end(index = 0): void {
    const [id] = this.running.splice(index, 1);
    if (id === undefined) return;
    // A worker has the next one before anybody hears of the end.
    this.take();
    this.line.end(id, userOf(id));
  }

  look(): void {
    this.line.observeQueue({ messages: this.waiting.length, consumers: 1 });
  }

  sentOf(user: string): number {
    return [...this.running, ...this.waiting].filter((id) => userOf(id) === user).length;
  }

  private send(id: string): void {
    this.waiting.push(id);
    this.take();
  }

  private take(): void {
    while (this.running.length < this.places && this.waiting.length > 0) {
      const id = this.waiting.shift()!;
      this.running.push(id);
      this.started.push(id);
    }
  }
}

const userOf = (id: string) => id.split('-')[0]!;
const calls = (user: string, count: number) => Array.from({ length: count }, (_, n) => `${user}-${n}`);

describe('a fair line', () => {
  it('sends all calls of a lone user, up to the places and a few more', () => {
    const fleet = new Fleet();
    for (const id of calls('greedy', 40)) fleet.ask(id);
    expect([fleet.running.length, fleet.waiting.length, fleet.line.heldInAll]).toEqual([16, 4, 20]);
    for (let ends = 0; ends < 40; ends++) {
      expect(fleet.running).toHaveLength(Math.min(PLACES, 40 - ends));
      fleet.end();
    }
    expect(fleet.started).toEqual(calls('greedy', 40));
    expect(fleet.line.isIdle).toBe(true);
  });

  it('starts the first call of another user after the few that waited', () => {
    const fleet = new Fleet();
    for (const id of calls('greedy', 40)) fleet.ask(id);
    const before = fleet.started.length;
    fleet.ask('ann-0');
    while (!fleet.started.includes('ann-0')) fleet.end();
    expect(fleet.started.indexOf('ann-0') - before).toBeLessThanOrEqual(4);
  });

  it('starts one call of each of ten users before any more of the greedy one', () => {
    const fleet = new Fleet();
    for (const id of calls('greedy', 40)) fleet.ask(id);
    const ordinary = Array.from({ length: 10 }, (_, n) => `user${n}-0`);
    for (const id of ordinary) fleet.ask(id);
    for (let ends = 0; ends < 14; ends++) fleet.end();
    expect(fleet.started.slice(20, 30)).toEqual(ordinary);
  });

  it('gives the same to users who want more than there is', () => {
    const fleet = new Fleet();
    const users = ['a', 'b', 'c', 'd', 'e'];
    for (const user of users) for (const id of calls(user, 40)) fleet.ask(id);
    for (let ends = 0; ends < 100; ends++) fleet.end();
    const late = fleet.started.slice(50);
    for (const user of users) {
      const count = late.filter((id) => userOf(id) === user).length;
      expect(Math.abs(count - late.length / users.length)).toBeLessThanOrEqual(4);
    }
    fleet.ask('newcomer-0');
    const before = fleet.started.length;
    while (!fleet.started.includes('newcomer-0')) fleet.end();
    expect(fleet.started.length - before).toBeLessThanOrEqual(6);
  });

  it('forgets held calls that are given up', () => {
    const fleet = new Fleet();
    for (const id of calls('greedy', 40)) fleet.ask(id);
    for (const id of calls('greedy', 40)) fleet.line.end(id, 'greedy');
    expect([fleet.line.sent, fleet.line.heldInAll, fleet.line.isIdle]).toEqual([0, 0, true]);
  });

  it('counts each call once: a repeated request keeps its place', () => {
    const fleet = new Fleet();
    for (const id of calls('greedy', 21)) fleet.ask(id);
    const never = () => expect('released').toBe('not at all');
    expect(fleet.line.ask('greedy-0', 'greedy', never)).toBe(true);
    expect(fleet.line.ask('greedy-20', 'greedy', never)).toBe(false);
    expect([fleet.line.sent, fleet.line.heldInAll]).toEqual([20, 1]);
  });

  it('counts running calls that another process sent', () => {
    const fleet = new Fleet(2);
    for (const id of calls('greedy', 4)) fleet.line.count(id, 'greedy');
    expect(fleet.line.ask('greedy-9', 'greedy', () => undefined)).toBe(false);
    expect(fleet.line.ask('ann-0', 'ann', () => undefined)).toBe(true);
  });
});

describe('a fair line of several processes', () => {
  const told = (user: string, sent: number, held = 0) => ({
    sent,
    held,
    users: new Map([[user, { sent, held }]]),
  });

  it('counts the reports of others until they change', () => {
    const fleet = new Fleet();
    fleet.line.receive('other', told('greedy', 16));
    for (const id of calls('greedy', 6)) fleet.ask(id);
    expect(fleet.line.heldInAll).toBe(2);
    fleet.line.receive('other', told('greedy', 10));
    expect(fleet.line.heldInAll).toBe(0);
  });

  it('forgets a process that has not reported for three seconds', () => {
    const fleet = new Fleet();
    fleet.line.receive('other', told('ann', 30));
    for (const id of calls('greedy', 6)) fleet.ask(id);
    expect(fleet.line.heldInAll).toBe(2);
    fleet.now = 3_000;
    fleet.line.release();
    expect(fleet.line.heldInAll).toBe(0);
  });

  it('reports when it has its part of the places, when it holds calls, and when another process does', () => {
    const fleet = new Fleet(PLACES, PLACES, 2);
    for (const id of calls('ann', 7)) fleet.ask(id);
    expect(fleet.line.isTight).toBe(false);
    fleet.line.receive('other', told('greedy', 16, 3));
    expect(fleet.line.isTight).toBe(true);
    fleet.line.receive('other', undefined);
    fleet.ask('ann-7');
    expect(fleet.line.isTight).toBe(true);
  });

  it('keeps to its part of the places until others have had the time to report', () => {
    const fleet = new Fleet(PLACES, PLACES, 2);
    for (const id of calls('greedy', 40)) fleet.ask(id);
    expect(fleet.line.sent).toBe(8);
    fleet.ask('ann-0');
    expect(fleet.line.sent).toBe(9);
    fleet.line.receive('other', told('greedy', 4));
    fleet.line.settle(true);
    expect(fleet.line.sent).toBe(13);
  });

  it('reports the users with the most calls, and the sums of all', () => {
    const fleet = new Fleet(100);
    for (const id of [...calls('a', 1), ...calls('b', 3), ...calls('c', 2)]) fleet.ask(id);
    const view = fleet.line.view(2);
    expect([...view.users]).toEqual([
      ['b', { sent: 3, held: 0 }],
      ['c', { sent: 2, held: 0 }],
    ]);
    expect(view.sent).toBe(6);
  });
});

describe('a check of the queue', () => {
  it('reveals uncounted calls, which count until they are gone', () => {
    const fleet = new Fleet();
    const look = (messages: number) => fleet.line.observeQueue({ messages, consumers: 1 });
    look(30);
    for (const id of calls('a', 4)) fleet.ask(id);
    expect(fleet.line.heldInAll).toBe(0);
    look(30);
    for (const id of calls('b', 10)) fleet.ask(id);
    expect(fleet.line.heldInAll).toBe(6);
    look(0);
    expect(fleet.line.heldInAll).toBe(0);
  });

  it('reveals that more run at once than was announced: no call is held while places are empty', () => {
    const fleet = new Fleet(64, 16);
    for (const id of calls('greedy', 60)) fleet.ask(id);
    expect(fleet.running).toHaveLength(20);
    for (let looks = 0; looks < 20; looks++) fleet.look();
    expect(fleet.running).toHaveLength(60);
  });

  it('reveals that no call is taken: all held calls are sent', () => {
    const fleet = new Fleet();
    for (const id of calls('greedy', 40)) fleet.ask(id);
    fleet.line.observeQueue({ messages: 4, consumers: 0 });
    expect(fleet.line.heldInAll).toBe(0);
  });
});

type Step = { do: 'ask'; user: number } | { do: 'end'; index: number };
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('ask' as const), user: fc.integer({ min: 0, max: 5 }) }),
    fc.record({ do: fc.constant('end' as const), index: fc.nat(15) }),
  ),
  { maxLength: 300 },
) as fc.Arbitrary<Step[]>;

describe('for any requests and ends of calls, a fair line', () => {
  it('leaves no place empty while calls are held, holds no user below two, and starts each call once, in order', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 20 }), (taken, places) => {
        const fleet = new Fleet(places);
        const asked: string[] = [];
        taken.forEach((step, n) => {
          if (step.do === 'ask') {
            asked.push(`user${step.user}-${n}`);
            fleet.ask(asked.at(-1)!);
          } else fleet.end(step.index % Math.max(1, fleet.running.length));
          if (fleet.line.heldInAll > 0) expect(fleet.running).toHaveLength(places);
          for (const id of asked.filter((one) => !fleet.started.includes(one)).slice(0, 1))
            if (!fleet.waiting.includes(id)) expect(fleet.sentOf(userOf(id))).toBeGreaterThanOrEqual(2);
        });
        while (fleet.running.length > 0) fleet.end();
        expect([...fleet.started].sort()).toEqual([...asked].sort());
        const order = (user: string, ids: string[]) => ids.filter((id) => userOf(id) === user);
        for (const user of new Set(asked.map(userOf)))
          expect(order(user, fleet.started)).toEqual(order(user, asked));
        expect(fleet.line.isIdle).toBe(true);
      }),
    );
  });

  it('lets no user exceed his share while calls wait and others are active', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 40 }), (taken, places) => {
        const fleet = new Fleet(places);
        taken.forEach((step, n) => {
          if (step.do === 'end') return fleet.end(step.index % Math.max(1, fleet.running.length));
          const user = `user${step.user}`;
          const others = [...fleet.running, ...fleet.waiting].some((id) => userOf(id) !== user);
          const [waited, before] = [fleet.waiting.length, fleet.sentOf(user)];
          fleet.ask(`${user}-${n}`);
          if (waited > 0 && others && fleet.sentOf(user) > before)
            expect(fleet.sentOf(user)).toBeLessThanOrEqual(Math.max(2, Math.floor(places / 4)));
        });
      }),
    );
  });
});
