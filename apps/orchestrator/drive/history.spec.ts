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

describe('what earlier turns leave to a later one', () => {
  it('names the tools that were approved, read from the rows by whoever comes new to the conversation', async () => {
    await turnWith(1, 'mail.send', 'approve');
    await turnWith(2, 'mail.delete', 'deny');
    await turnWith(3, 'math.add');
    const { approved, messages } = await new History(store).before(CONVERSATION, 4);
    expect([...approved]).toEqual(['mail.send']);
    expect(messages.length).toBeGreaterThan(3);
    expect([...(await new History(store).before(CONVERSATION, 1)).approved]).toEqual([]);
    expect([...(await new History(store).before('conv_2', 4)).approved]).toEqual([]);
  });

  it('learns from turns that end here', async () => {
    const history = new History(store);
    await turnWith(1, 'math.add');
    expect([...(await history.before(CONVERSATION, 2)).approved]).toEqual([]);
    history.append(await turnWith(2, 'mail.send', 'approve'));
    expect([...(await history.before(CONVERSATION, 3)).approved]).toEqual(['mail.send']);
  });

  it('reads no answers where none was asked for', async () => {
    await turnWith(1, 'math.add');
    let reads = 0;
    const counting = new Proxy(store, {
      get: (target, name) => {
        if (name === 'readJournals') reads++;
        return (target[name as keyof Store] as (...args: unknown[]) => unknown).bind(target);
      },
    });
    await new History(counting).before(CONVERSATION, 2);
    expect(reads).toBe(0);
  });
});
