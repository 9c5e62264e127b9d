import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeliveryOutcome } from '#messaging';
import { createMetrics, Refusals } from '#observability';
import type { Store } from '#store';
import { DEFAULT_BUDGETS } from '#turn';
import { SeededRandom, VirtualClock } from '#time/testing';
import { InPlaceChecks } from '#tools/testing';
import {
  callRow,
  claimRow,
  CONVERSATION_ID,
  openPorts,
  stepRow,
  TURN_ID,
  turnRow,
  type TestPorts,
} from '#journal/testing';
import type { DrivingDeps } from '../../../apps/orchestrator/work/driving.deps.js';
import { Drivers, type HeldHint } from '../../../apps/orchestrator/turn/drivers.js';
import { QueueGlances } from '../../../apps/orchestrator/fairness/queue-glances.js';
import { CallShares } from '../../../apps/orchestrator/fairness/call-shares.js';
import { History } from '../../../apps/orchestrator/turn/history.js';
import type { TakeUp } from '../../../apps/orchestrator/turn/take-up.js';
import { TurnMemory } from '../../../apps/orchestrator/work/turn-memory.js';
import { testSettings } from '../../../apps/orchestrator/testing/test-settings.js';
import type { TurnWork } from '../../../apps/orchestrator/work/turn-work.js';

const ME = 'orchestrator-1';
const MINUTE_MS = 60_000;

let ports: TestPorts;
let history: History;
beforeEach(async () => {
  ports = await openPorts(ME);
  history = new History(ports.store);
  await ports.store.insertTurn(turnRow());
  await ports.store.claim(claimRow(TURN_ID, ME));
});
afterEach(() => ports.store.close());

/** Takes the turn up from the store, as often as it is asked to. */
class Taking {
  times = 0;
  isDeleted = false;

  async takeUp(): Promise<TurnWork> {
    this.times++;
    const journal = (await ports.store.readJournal(TURN_ID))!;
    return {
      memory: new TurnMemory(journal, ports.store),
      claimAttempt: 1,
      history: [],
      catalogue: [],
      approvedBefore: new Set(),
      conversation: { isDeleted: this.isDeleted, tools: undefined, model: undefined },
    } as Partial<TurnWork> as TurnWork;
  }
}

function createDrivers(taking: Taking, store: Store = ports.store): Drivers {
  const { bus, log, peers } = ports;
  const budgets = { ...DEFAULT_BUDGETS, turnMs: 120 * MINUTE_MS };
  const settings = testSettings({ budgets, turnsAtOnce: 10 });
  const metrics = createMetrics({ collectDefaults: false });
  const slowChecks = new InPlaceChecks();
  const deps = { ...ports, store, bus, log, peers, metrics, settings, slowChecks } as unknown as DrivingDeps;
  const queues = new QueueGlances(bus, ports.clock);
  const refusals = new Refusals(deps.metrics.refusals, deps.log, ports.clock);
  const shares = new CallShares({ ...deps, queues, placesOf: () => 0, refusals });
  return new Drivers(deps, ports, taking as unknown as TakeUp, history, {
    queues,
    shares,
    refusals,
  });
}

/** The same store that does something more when a turn is cached as waiting for a person. */
function storeThat(whenParked: () => void): Store {
  return new Proxy(ports.store, {
    get(target, name) {
      if (name !== 'setTurnStatus') return Reflect.get(target, name).bind(target);
      return (...[id, status]: Parameters<Store['setTurnStatus']>) => {
        if (status === 'awaiting_input') whenParked();
        return target.setTurnStatus(id, status);
      };
    },
  });
}

describe('a turn that waits for a person', () => {
  // One of these is between the driver's last look and its end.
  it.each(Array.from({ length: 16 }, (_, later) => later))(
    'goes on when the answer comes at the moment in which it is parked, or so many ticks later: %i',
    async (later) => {
      const call = callRow(1, { approval: 'required' });
      await ports.store.commitStep(stepRow(1, { calls: [call], stop_reason: 'tool_use' }));
      const taking = new Taking();
      let noteAnswered: () => void = () => undefined;
      const answered = new Promise<void>((resolve) => (noteAnswered = resolve));
      const answer = async () => {
        for (let tick = 0; tick < later; tick++) await Promise.resolve();
        void ports.store.answer({
          _id: `${call.tool_call_id}:approval`,
          turn_id: TURN_ID,
          conversation_id: CONVERSATION_ID,
          decision: 'approve',
          by: 'ann',
          at: new Date().toISOString(),
        });
        void drivers.advance(TURN_ID, CONVERSATION_ID);
        noteAnswered();
      };
      let isFirst = true;
      const drivers = createDrivers(
        taking,
        storeThat(() => {
          if (isFirst) void answer();
          isFirst = false;
        }),
      );
      await drivers.advance(TURN_ID, CONVERSATION_ID);
      await answered;
      for (let round = 0; round < 10; round++) await new Promise(setImmediate);
      expect(ports.recorded.bodies('tool.call')).toHaveLength(1);
      await drivers.drain(0);
    },
  );
});

describe('the cached status of a turn that waits for a person', () => {
  it('says so, however late the turn was cached as running', async () => {
    const call = callRow(1, { approval: 'required' });
    await ports.store.commitStep(stepRow(1, { calls: [call], stop_reason: 'tool_use' }));
    const rounds = async (count: number) => {
      for (let round = 0; round < count; round++) await new Promise(setImmediate);
    };
    const slow = new Proxy(ports.store, {
      get(target, name) {
        if (name !== 'setTurnStatus') return Reflect.get(target, name).bind(target);
        return async (...[id, status]: Parameters<Store['setTurnStatus']>) => {
          if (status === 'running') await rounds(20);
          return target.setTurnStatus(id, status);
        };
      },
    });
    const drivers = createDrivers(new Taking(), slow);
    await drivers.advance(TURN_ID, CONVERSATION_ID);
    await rounds(60);
    expect((await ports.store.getTurn(TURN_ID))?.status).toBe('awaiting_input');
    await drivers.drain(0);
  });
});

describe('a hint that is held', () => {
  let world: VirtualClock;
  let drivers: Drivers;
  const hold = (hint: HeldHint) => drivers.advance(TURN_ID, CONVERSATION_ID, hint);
  const inHand = () => ({ lost: new AbortController().signal });

  beforeEach(async () => {
    world = new VirtualClock(new SeededRandom(1));
    // The rows of the test are of now.
    ports.clock = world.view({ wallAheadMs: Date.now() - world.wall() });
    await ports.store.commitStep(stepRow(1, { calls: [callRow(1)], stop_reason: 'tool_use' }));
    await ports.store.claim(claimRow(callRow(1).tool_call_id, 'worker-1'));
    drivers = createDrivers(new Taking());
  });

  afterEach(async () => {
    const drained = drivers.drain(0);
    await world.advance(1_000);
    await drained;
  });

  it('is replaced after ten minutes, unless its delivery was lost and another one holds the turn', async () => {
    const lost = new AbortController();
    void hold({ lost: lost.signal });
    await world.advance(5 * MINUTE_MS);
    lost.abort();
    void hold(inHand());
    await world.advance(9 * MINUTE_MS);
    expect(ports.recorded.bodies('turn.advance')).toEqual([]);
    await world.advance(2 * MINUTE_MS);
    expect(ports.recorded.bodies('turn.advance')).toHaveLength(1);
  });

  it('is kept until the broker has confirmed the one in its place', async () => {
    const outcomes: DeliveryOutcome[] = [];
    void hold(inHand()).then((outcome) => outcomes.push(outcome));
    ports.recorded.answer = () => 'unknown';
    await world.advance(11 * MINUTE_MS);
    expect(ports.recorded.bodies('turn.advance')).toHaveLength(1);
    expect(outcomes).toEqual([]);
    ports.recorded.answer = () => 'confirmed';
    await world.advance(10 * MINUTE_MS);
    expect(ports.recorded.bodies('turn.advance')).toHaveLength(2);
    expect(outcomes).toEqual(['ack']);
  });
});

describe('what a process remembers of a conversation', () => {
  it.each([
    [false, 'is there for its next turn'],
    [true, 'is forgotten with the end of a turn when it has been deleted'],
  ])('(deleted: %s) %s', async (isDeleted, _what) => {
    const world = new VirtualClock(new SeededRandom(1));
    ports.clock = world;
    await ports.store.commitStep(stepRow(1, { blocks: [{ type: 'text', text: 'private' }] }));
    await history.before(CONVERSATION_ID, 1);
    const drivers = createDrivers(Object.assign(new Taking(), { isDeleted }));
    await drivers.advance(TURN_ID, CONVERSATION_ID);
    await world.runUntil('the end of the turn', () => drivers.size === 0, MINUTE_MS);
    await ports.store.removeTurns(CONVERSATION_ID, [TURN_ID], 'ids');
    const { messages } = await history.before(CONVERSATION_ID, 2);
    expect(JSON.stringify(messages).includes('private')).toBe(!isDeleted);
  });
});
