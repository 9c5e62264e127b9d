import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Answer, Call, Journal, Step, Turn } from '#contracts';
import { createStore, type Store } from '#store';
import { History } from './history.js';

const CONVERSATION = 'conv_1';
const at = '2026-01-01T00:00:00.000Z';
const callId = (number: number) => `call_${String(number).padStart(22, '0')}`;

let store: Store;
beforeEach(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
});

function turnRow(number: number): Turn {
  return {
    _id: `turn_${number}`,
    conversation_id: CONVERSATION,
    number,
    user_id: 'ann',
    client_message_id: `m${number}`,
    content: `question ${number}`,
    options: {},
    at,
    status: 'completed',
    due_at: null,
  };
}

function callRow(number: number, tool_name: string, approval: Call['approval']): Call {
  return {
    tool_call_id: callId(number),
    tool_name,
    display_name: tool_name,
    source: 'local',
    arguments: {},
    class: 'once',
    timeout_ms: 1_000,
    approval,
  };
}

function stepRow(number: number, calls: Call[]): Step {
  return {
    _id: `turn_${number}:1`,
    turn_id: `turn_${number}`,
    conversation_id: CONVERSATION,
    turn_number: number,
    n: 1,
    attempt: 100,
    kind: 'model',
    blocks: [{ type: 'text', text: `answer ${number}` }],
    calls,
    stop_reason: 'end_turn',
    usage: null,
    at,
  };
}

/** A turn of one call of `tool_name`, and what a person said to it. */
async function turnWith(number: number, tool_name: string, decision?: Answer['decision']): Promise<Journal> {
  const call = callRow(number, tool_name, decision ? 'required' : 'none');
  const place = { turn_id: `turn_${number}`, conversation_id: CONVERSATION };
  await store.insertTurn(turnRow(number));
  await store.commitStep(stepRow(number, [call]));
  if (decision)
    await store.answer({ _id: `${call.tool_call_id}:approval`, ...place, decision, by: 'ann', at });
  return (await store.readJournal(`turn_${number}`))!;
}

describe('what earlier turns pass to a later one', () => {
  it('includes the approved tools, read from the rows by a process that is new to the conversation', async () => {
    await turnWith(1, 'mail.send', 'approve');
    await turnWith(2, 'mail.delete', 'deny');
    await turnWith(3, 'math.add');
    const { approved, messages } = await new History(store).before(CONVERSATION, 4);
    expect([...approved]).toEqual(['mail.send']);
    expect(messages.length).toBeGreaterThan(3);
    expect([...(await new History(store).before(CONVERSATION, 1)).approved]).toEqual([]);
    expect([...(await new History(store).before('conv_2', 4)).approved]).toEqual([]);
  });

  it('is updated by turns that end here', async () => {
    const history = new History(store);
    await turnWith(1, 'math.add');
    expect([...(await history.before(CONVERSATION, 2)).approved]).toEqual([]);
    history.append(await turnWith(2, 'mail.send', 'approve'));
    expect([...(await history.before(CONVERSATION, 3)).approved]).toEqual(['mail.send']);
  });

  it('reads no answers when no call asked for approval', async () => {
    await turnWith(1, 'math.add');
    let reads = 0;
    const counting = new Proxy(store, {
      get: (target, name) => {
        if (String(name).startsWith('readJournals')) reads++;
        return (target[name as keyof Store] as (...args: unknown[]) => unknown).bind(target);
      },
    });
    await new History(counting).before(CONVERSATION, 2);
    expect(reads).toBe(0);
    await turnWith(2, 'mail.send', 'approve');
    await new History(counting).before(CONVERSATION, 3);
    expect(reads).toBe(1);
  });
});

describe('a cached history', () => {
  let reads: string[];
  let counting: Store;
  beforeEach(async () => {
    reads = [];
    counting = new Proxy(store, {
      get: (target, name) => {
        const method = (target[name as keyof Store] as (...args: unknown[]) => unknown).bind(target);
        if (name !== 'listSteps') return method;
        return (conversationId: string, ...rest: unknown[]) => {
          reads.push(conversationId);
          return method(conversationId, ...rest);
        };
      },
    });
    await turnWith(1, 'math.add');
  });

  it.each([
    ['conversations', { conversations: 1, characters: 1_000_000 }],
    ['characters', { conversations: 100, characters: 1 }],
  ])(
    'is evicted when another one needs its place, by %s; the newest one stays, regardless of its size',
    async (_by, limits) => {
      const history = new History(counting, limits);
      await history.before(CONVERSATION, 2, { approvals: false });
      await history.before(CONVERSATION, 2, { approvals: false });
      expect(reads).toEqual([CONVERSATION]);
      await history.before('conv_2', 2, { approvals: false });
      await history.before(CONVERSATION, 2, { approvals: false });
      expect(reads).toEqual([CONVERSATION, 'conv_2', CONVERSATION]);
    },
  );
});

describe('a long conversation that is new to a process', () => {
  const summary = (number: number): Step => ({
    ...stepRow(number, []),
    kind: 'summary',
    blocks: [{ type: 'text', text: `All before ${number}.` }],
  });

  /** Turn by turn as a process has it that was there all along. */
  async function converse(
    turns: number,
    { summaryAt, approvedAt }: { summaryAt?: number; approvedAt?: number },
  ) {
    const growing = new History(store);
    await growing.before(CONVERSATION, 1);
    for (let number = 1; number <= turns; number++) {
      if (number === summaryAt) await store.commitStep(summary(number));
      const journal =
        number === summaryAt
          ? await plainTurn(number, 2)
          : number === approvedAt
            ? await turnWith(number, 'mail.send', 'approve')
            : await plainTurn(number, 1);
      growing.append(journal);
    }
    return growing.before(CONVERSATION, turns + 1);
  }

  async function plainTurn(number: number, n: number): Promise<Journal> {
    await store.insertTurn(turnRow(number));
    await store.commitStep({ ...stepRow(number, []), _id: `turn_${number}:${n}`, n });
    return (await store.readJournal(`turn_${number}`))!;
  }

  /** The store, and which turns are asked for. */
  function watched() {
    const firsts = { steps: Infinity, turns: Infinity };
    const lower = (of: keyof typeof firsts, number: number) => (firsts[of] = Math.min(firsts[of], number));
    const watching = new Proxy(store, {
      get: (target, name) => {
        const method = (target[name as keyof Store] as (...args: unknown[]) => unknown).bind(target);
        if (name === 'listSteps')
          return (id: string, range: { after: number; before: number }) => {
            lower('steps', range.after + 1);
            return method(id, range);
          };
        if (name !== 'listTurns') return method;
        return (id: string, page: { before: number; limit: number }) => {
          lower('turns', page.before - page.limit);
          return method(id, page);
        };
      },
    });
    return { watching, firsts };
  }

  it('is read from its last summary on, and equals the history that was built by appending', async () => {
    const grown = await converse(130, { summaryAt: 101 });
    const { watching, firsts } = watched();
    const { messages } = await new History(watching).before(CONVERSATION, 131, { approvals: false });
    expect(messages).toEqual(grown.messages);
    expect(JSON.stringify(messages[0])).toContain('All before 101.');
    expect(firsts).toEqual({ steps: 81, turns: 101 });
  });

  it.each([20, 60, undefined])('is found even when the summary (turn %s) is far back', async (summaryAt) => {
    const grown = await converse(170, summaryAt === undefined ? {} : { summaryAt });
    const { watching, firsts } = watched();
    expect((await new History(watching).before(CONVERSATION, 171)).messages).toEqual(grown.messages);
    expect(firsts.turns).toBe(summaryAt ?? 1);
  });

  it('has the approvals from before the summary only when they are wanted', async () => {
    await converse(70, { summaryAt: 60, approvedAt: 3 });
    const history = new History(store);
    expect((await history.before(CONVERSATION, 71, { approvals: false })).approved.size).toBe(0);
    const { approved, messages } = await history.before(CONVERSATION, 71);
    expect([...approved]).toEqual(['mail.send']);
    expect(messages).toEqual((await new History(store).before(CONVERSATION, 71)).messages);
  });

  it('skips, if it was summarised, what a process that knows its beginning has missed', async () => {
    const history = new History(store);
    await plainTurn(1, 1);
    await history.before(CONVERSATION, 2);
    await turnWith(2, 'mail.send', 'approve');
    await plainTurn(3, 1);
    await store.commitStep(summary(4));
    await plainTurn(4, 2);
    const { messages, approved } = await history.before(CONVERSATION, 5);
    expect(messages).toEqual((await new History(store).before(CONVERSATION, 5)).messages);
    expect([...approved]).toEqual(['mail.send']);
  });
});
