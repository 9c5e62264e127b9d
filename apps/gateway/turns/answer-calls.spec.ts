import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Answer, QuestionSchema } from '#contracts';
import type { Store } from '#store';
import { SeededRandom, VirtualClock } from '#time/testing';
import { inputId } from '#turn';
import {
  callId,
  callRow,
  claimRow,
  CONVERSATION_ID,
  openPorts,
  stepRow,
  TURN_ID,
  turnRow,
  type TestPorts,
} from '#journal/testing';
import type { Action } from '#journal';
import { RequestError } from '../errors/request-error.js';
import type { User } from '../people/auth/user.js';
import { newConversation } from './conversations.js';
import { Ownership } from './ownership.js';
import { AnswerCalls } from './answer-calls.js';
import { OtherApprovers } from './other-approvers.js';

const ANN = { id: 'ann', isOperator: false, roles: [] };
const place = { turn_id: TURN_ID, tool_call_id: callId(1) };
const schema: QuestionSchema = { type: 'object', properties: { account: { type: 'string' } } };

let clock: VirtualClock;
let ports: TestPorts;
let answers: AnswerCalls;
let noted: Action[];
beforeEach(async () => {
  const random = new SeededRandom(1);
  clock = new VirtualClock(random);
  ports = await openPorts('gateway-1', { clock, random });
  const store = late(ports.store);
  noted = [];
  const others = new OtherApprovers({
    store,
    roles: { of: async ({ roles }) => [...roles] },
    approverRoles: new Set(['chief', 'auditor']),
    actions: { note: (action) => void noted.push(action) },
    onAnswered: () => undefined,
  });
  answers = new AnswerCalls({ ...ports, store }, new Ownership(store), others);
  await ports.store.insertConversation({ ...newConversation(clock, CONVERSATION_ID, ANN.id) });
  await ports.store.insertTurn({ ...turnRow(), status: 'awaiting_input' });
});
afterEach(() => ports.store.close());

/** As every store that is not in this process: it answers when others have asked, too. */
function late(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        await clock.sleep(1);
        return method.apply(target, args);
      };
    },
  });
}

/** What became of each: `taken`, or the code of the refusal. */
async function outcomesOf(...requests: Promise<void>[]): Promise<string[]> {
  const codes = Promise.all(
    requests.map((request) =>
      request.then(
        () => 'taken',
        (error: RequestError) => error.code,
      ),
    ),
  );
  await clock.advance(1_000);
  return codes;
}

async function ask(number: number): Promise<void> {
  const question: Answer = {
    _id: inputId(callId(1), 'question', number),
    turn_id: TURN_ID,
    conversation_id: CONVERSATION_ID,
    question: {
      message: `Question ${number}`,
      schema,
      expires_at: new Date(clock.wall() + 60_000).toISOString(),
    },
    by: 'worker-1',
    at: new Date(clock.wall()).toISOString(),
  };
  await ports.store.answer(question);
}

const told = () => ports.recorded.events.map(({ type }) => type);

describe('two simultaneous answers', () => {
  it('to an approval: one is accepted and published, the other is too late', async () => {
    await ports.store.commitStep(
      stepRow(1, { calls: [callRow(1, { approval: 'required' })], stop_reason: 'tool_use' }),
    );
    const [first, second] = await outcomesOf(
      answers.approve(ANN, { ...place, decision: 'approve' }),
      answers.approve(ANN, { ...place, decision: 'deny' }),
    );
    expect([first, second].toSorted()).toEqual(['already_answered', 'taken']);
    const decision = first === 'taken' ? 'approve' : 'deny';
    expect(ports.recorded.events).toMatchObject([{ type: 'approval_answered', decision }]);
    expect(await ports.store.getAnswer(`${callId(1)}:approval`)).toMatchObject({ decision });
  });

  it('to a question: one is accepted and published, the other is too late', async () => {
    await ports.store.commitStep(stepRow(1, { calls: [callRow(1)], stop_reason: 'tool_use' }));
    await ports.store.claim(claimRow(callId(1), 'worker-1'));
    await ask(1);
    const outcomes = await outcomesOf(
      answers.input(ANN, { ...place, content: { account: 'GOT-1' } }),
      answers.input(ANN, { ...place, action: 'decline' }),
    );
    expect(outcomes.toSorted()).toEqual(['already_answered', 'taken']);
    expect(told()).toEqual(['input_answered']);
  });
});

describe('an answer to a question', () => {
  it('is too late when another question followed, although no one answered the first', async () => {
    await ports.store.commitStep(stepRow(1, { calls: [callRow(1)], stop_reason: 'tool_use' }));
    await ports.store.claim(claimRow(callId(1), 'worker-1'));
    for (const number of [1, 2]) await ask(number);
    const answerTo = (number: number) =>
      outcomesOf(answers.input(ANN, { ...place, number, content: { account: 'GOT-1' } }));
    expect(await answerTo(1)).toEqual(['already_answered']);
    expect(told()).toEqual([]);
    expect(await answerTo(2)).toEqual(['taken']);
    expect(await answerTo(3)).toEqual(['not_found']);
  });
});

it('an answer that is stored is taken, although nobody can be told of it', async () => {
  await ports.store.commitStep(stepRow(1, { calls: [callRow(1)], stop_reason: 'tool_use' }));
  await ports.store.claim(claimRow(callId(1), 'worker-1'));
  await ask(1);
  ports.bus.publish = () => Promise.resolve('unconfirmed' as never);
  const setTurnDue = ports.store.setTurnDue.bind(ports.store);
  let asked = 0;
  ports.store.setTurnDue = (...about) =>
    ++asked === 1 ? setTurnDue(...about) : Promise.reject(new Error('the store is away'));
  expect(await outcomesOf(answers.input(ANN, { ...place, content: { account: 'GOT-1' } }))).toEqual([
    'taken',
  ]);
  expect(asked).toBe(2);
});

describe('a call that others approve', () => {
  const CHIEF = { id: 'cleo', isOperator: false, roles: ['chief'] };
  const approve = (user: User, decision: 'approve' | 'deny' = 'approve') =>
    outcomesOf(answers.approve(user, { ...place, decision }));
  beforeEach(async () => {
    const call = callRow(1, { approval: 'required', approvers: ['chief'] });
    await ports.store.commitStep(stepRow(1, { calls: [call, callRow(2, { approval: 'required' })] }));
  });

  it('is not answered by the user of its turn, even with the role', async () => {
    expect(await approve(ANN)).toEqual(['forbidden']);
    expect(await approve({ ...ANN, roles: ['chief'] })).toEqual(['forbidden']);
    expect(told()).toEqual([]);
  });

  it.each([
    ['nobody’s', []],
    ['another approver’s', ['auditor']],
    ['no approver’s', ['clerk']],
    ['an operator’s', ['operator']],
  ])('does not exist for somebody with %s role', async (_whose, roles) => {
    expect(await approve({ ...CHIEF, roles })).toEqual(['not_found']);
  });

  it('is answered once by somebody with the role, which is audited and told to viewers', async () => {
    const [first, second] = await outcomesOf(
      answers.approve(CHIEF, { ...place, decision: 'deny' }),
      answers.approve({ ...CHIEF, id: 'carl' }, { ...place, decision: 'approve' }),
    );
    expect([first, second].toSorted()).toEqual(['already_answered', 'taken']);
    expect(await approve(CHIEF)).toEqual(['already_answered']);
    const by = first === 'taken' ? 'cleo' : 'carl';
    expect(ports.recorded.events).toMatchObject([{ type: 'approval_answered', by }]);
    expect(noted).toMatchObject([
      {
        audit: 'approval_given',
        user_id: by,
        tool_call_id: callId(1),
        status: by === 'cleo' ? 'deny' : 'approve',
      },
    ]);
  });

  it('opens no other call of the turn, and nothing of a deleted conversation', async () => {
    const other = { ...place, tool_call_id: callId(2), decision: 'approve' as const };
    expect(await outcomesOf(answers.approve(CHIEF, other))).toEqual(['not_found']);
    expect(await outcomesOf(answers.input(CHIEF, { ...place, content: {} }))).toEqual(['not_found']);
    await ports.store.updateConversation(CONVERSATION_ID, { deleted_at: new Date().toISOString() });
    expect(await approve(CHIEF)).toEqual(['not_found']);
  });
});
