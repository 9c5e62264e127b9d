import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newMessage } from '#contracts';
import type { DeliveryOutcome } from '#messaging';
import type { Store } from '#store';
import { DEFAULT_BUDGETS } from '#turn';
import { SeededRandom, VirtualClock } from '#time/testing';
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
import type { Orchestrator } from '../../../apps/orchestrator/orchestrator.js';
import type { OrchestratorDeps } from '../../../apps/orchestrator/deps/orchestrator.deps.js';
import { createOrchestrator } from '../../../apps/orchestrator/testing/create-orchestrator.js';
import { testSettings } from '../../../apps/orchestrator/testing/test-settings.js';
import { scriptedModel, USAGE } from './fleet-harness.js';

const ME = 'orchestrator-1';
const MINUTE_MS = 60_000;

const HINT = { turn_id: TURN_ID, conversation_id: CONVERSATION_ID };

let ports: TestPorts;
beforeEach(async () => {
  ports = await openPorts(ME);
  await ports.store.insertTurn(turnRow());
});
afterEach(() => ports.store.close());

function start(change: Partial<OrchestratorDeps> = {}): Orchestrator {
  const budgets = { ...DEFAULT_BUDGETS, turnMs: 120 * MINUTE_MS };
  return createOrchestrator(ports, { settings: testSettings({ budgets }), ...change });
}

async function insertConversation(deleted_at?: string): Promise<void> {
  const at = new Date().toISOString();
  const row = { user_id: 'user_1', title: '', policy: 'enqueue' as const, created_at: at, updated_at: at };
  await ports.store.insertConversation({ _id: CONVERSATION_ID, ...row, ...(deleted_at && { deleted_at }) });
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
    'continues when the answer arrives at the moment of parking, or this many ticks later: %i',
    async (later) => {
      const call = callRow(1, { approval: 'required' });
      await ports.store.commitStep(stepRow(1, { calls: [call], stop_reason: 'tool_use' }));
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
        void orchestrator.advance(HINT);
        noteAnswered();
      };
      let isFirst = true;
      const store = storeThat(() => {
        if (isFirst) void answer();
        isFirst = false;
      });
      const orchestrator = start({ store });
      await orchestrator.advance(HINT);
      await answered;
      for (let round = 0; round < 10; round++) await new Promise(setImmediate);
      expect(ports.recorded.bodies('tool.call')).toHaveLength(1);
      await orchestrator.drain(0);
    },
  );
});

describe('the cached status of a turn that waits for a person', () => {
  it('is awaiting_input, regardless of when the turn was cached as running', async () => {
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
    const orchestrator = start({ store: slow });
    await orchestrator.advance(HINT);
    await rounds(60);
    expect((await ports.store.getTurn(TURN_ID))?.status).toBe('awaiting_input');
    await orchestrator.drain(0);
  });
});

describe('a held hint', () => {
  let world: VirtualClock;
  let orchestrator: Orchestrator;
  const hold = (lost = new AbortController().signal) => {
    const message = newMessage(ports, 'turn.advance', HINT);
    return orchestrator.advance(HINT, { message, redelivered: false, lost });
  };

  beforeEach(async () => {
    world = new VirtualClock(new SeededRandom(1));
    // The rows of the test are of now.
    ports.clock = world.view({ wallAheadMs: Date.now() - world.wall() });
    await ports.store.commitStep(stepRow(1, { calls: [callRow(1)], stop_reason: 'tool_use' }));
    await ports.store.claim(claimRow(callRow(1).tool_call_id, 'worker-1'));
    orchestrator = start();
  });

  afterEach(async () => {
    const drained = orchestrator.drain(0);
    await world.advance(1_000);
    await drained;
  });

  it('is replaced after ten minutes, unless its delivery was lost and another one holds the turn', async () => {
    const lost = new AbortController();
    void hold(lost.signal);
    await world.advance(5 * MINUTE_MS);
    lost.abort();
    void hold();
    await world.advance(9 * MINUTE_MS);
    expect(ports.recorded.bodies('turn.advance')).toEqual([]);
    await world.advance(2 * MINUTE_MS);
    expect(ports.recorded.bodies('turn.advance')).toHaveLength(1);
  });

  it('is kept until the broker has confirmed its replacement', async () => {
    const outcomes: DeliveryOutcome[] = [];
    void hold().then((outcome) => outcomes.push(outcome));
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

describe('the conversation memory of a process', () => {
  it.each([
    ['is kept for the next turn', undefined],
    ['is dropped at the end of a turn when the conversation was deleted', '2026-01-01T00:00:00.000Z'],
  ])('%s', async (_what, deleted_at) => {
    const world = new VirtualClock(new SeededRandom(1));
    ports.clock = world;
    const model = scriptedModel((_request, index) => [
      { type: 'text', text: `private ${index}` },
      { type: 'end', stop_reason: 'end_turn', usage: USAGE },
    ]);
    const orchestrator = start({ model });
    const drive = async (number: number) => {
      await orchestrator.advance({ ...HINT, turn_id: `turn_${number}` });
      await world.runUntil(`the end of turn ${number}`, () => orchestrator.size === 0, MINUTE_MS);
    };
    await drive(1);
    await ports.store.insertTurn(turnRow(2));
    await insertConversation(deleted_at);
    await drive(2);
    // Gone from the store, but for a third turn of a conversation of the same name.
    await ports.store.removeTurns(CONVERSATION_ID, [TURN_ID, 'turn_2'], 'ids');
    await ports.store.removeConversation(CONVERSATION_ID);
    await ports.store.insertTurn(turnRow(3));
    await drive(3);
    const said = JSON.stringify(model.requests.at(-1)!.messages);
    expect(said.includes('private')).toBe(deleted_at === undefined);
    await orchestrator.drain(0);
  });
});
