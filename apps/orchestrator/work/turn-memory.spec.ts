import { describe, expect, it } from '@jest/globals';
import { completeResult, type Journal, type Outcome, type Step } from '#contracts';
import type { Store } from '#store';
import { TurnMemory } from './turn-memory.js';

const step = (n: number): Step => ({
  _id: `turn:${n}`,
  turn_id: 'turn',
  conversation_id: 'conversation',
  turn_number: 1,
  n,
  attempt: 100,
  kind: 'model',
  blocks: [],
  calls: [],
  stop_reason: 'tool_use',
  usage: null,
  at: '2026-01-01T00:00:00.000Z',
});

const outcome: Outcome = {
  _id: 'call',
  turn_id: 'turn',
  conversation_id: 'conversation',
  n: 1,
  ...completeResult({ status: 'success' }),
  attempt: 1,
  worker: 'worker',
  duration_ms: 1,
  at: '2026-01-01T00:00:00.000Z',
};

const journal = (steps: Step[]): Journal => ({
  turn: {
    _id: 'turn',
    conversation_id: 'conversation',
    number: 1,
    user_id: 'user',
    client_message_id: 'message',
    content: 'hello',
    options: {},
    at: '2026-01-01T00:00:00.000Z',
    status: 'running',
    due_at: null,
  },
  steps,
  claims: [],
  outcomes: [],
  answers: [],
});

describe('TurnMemory', () => {
  it('keeps what it learns while the store is being read', async () => {
    let answer: (read: Journal) => void = () => {};
    const store = {
      readJournal: () => new Promise<Journal>((resolve) => (answer = resolve)),
      commitStep: (row: Step) => Promise.resolve({ won: true, row }),
    } as unknown as Store;
    const memory = new TurnMemory(journal([step(1)]), store);
    const reading = memory.reread();
    await memory.commit(step(2));
    memory.addOutcome(outcome);
    answer(journal([step(1)]));
    await reading;
    expect(memory.journal.steps.map(({ n }) => n)).toEqual([1, 2]);
    expect(memory.journal.outcomes).toEqual([outcome]);
  });

  it('adds the rows of other processes in the order of the steps', async () => {
    const store = {
      readJournal: () => Promise.resolve(journal([step(1), step(2)])),
      commitStep: () => Promise.resolve({ won: false, row: step(2) }),
    } as unknown as Store;
    const memory = new TurnMemory(journal([step(1)]), store);
    expect(await memory.commit({ ...step(2), attempt: 200 })).toBe(false);
    expect(memory.journal.steps.map(({ n, attempt }) => [n, attempt])).toEqual([
      [1, 100],
      [2, 100],
    ]);
  });

  it('reads no row that it was handed, and knows it only when a hint names it', async () => {
    const read: string[] = [];
    const store = {
      getOutcome: (id: string) => (read.push(id), Promise.resolve(null)),
    } as unknown as Store;
    const memory = new TurnMemory(journal([step(1)]), store);
    memory.hand(outcome);
    expect(memory.journal.outcomes).toEqual([]);
    await memory.readOutcomes(['call', 'other']);
    expect([memory.journal.outcomes, read]).toEqual([[outcome], ['other']]);
  });

  it('records that its turn was removed, keeps its contents, and notices that the turn exists again', async () => {
    let stored: Journal | null = null;
    const store = { readJournal: () => Promise.resolve(stored) } as unknown as Store;
    const memory = new TurnMemory(journal([step(1)]), store);
    expect(memory.isGone).toBe(false);
    await memory.reread();
    expect([memory.isGone, memory.journal.steps.length]).toEqual([true, 1]);
    stored = journal([step(1)]);
    await memory.reread();
    expect(memory.isGone).toBe(false);
  });
});
