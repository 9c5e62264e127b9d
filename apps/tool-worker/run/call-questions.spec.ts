import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { QuestionSchema, ToolCallBody } from '#contracts';
import { callRow, openPorts, type TestPorts } from '#journal/testing';
import { StoreLedger, type WorkerCall } from '#ledger';
import { SeededRandom, VirtualClock } from '#time/testing';
import { inputId } from '#turn';
import { ActiveCall } from './active-call.js';
import { CallQuestions, DEFAULT_QUESTION_TIMES } from './call-questions.js';

const MESSAGE = 'Which account?';
const form = (...names: string[]): QuestionSchema => ({
  type: 'object',
  properties: { account: { type: 'string', enum: names } },
});

let clock: VirtualClock;
let ports: TestPorts;
let body: ToolCallBody;
beforeEach(async () => {
  const random = new SeededRandom(1);
  clock = new VirtualClock(random);
  ports = await openPorts('worker-1', { clock, random });
  const { tool_call_id, tool_name } = callRow(1);
  const place = { tool_call_id, turn_id: 'turn_1', conversation_id: 'conv_1', n: 1 };
  body = { ...place, tool_name, reply_to: 'orchestrator.1' } as ToolCallBody;
});
afterEach(() => ports.store.close());

/** One attempt of the call asks; what it was told, if anything. */
async function askAgain(message: string, schema: QuestionSchema) {
  const ledger = new StoreLedger(ports, () => undefined);
  const hand = new ActiveCall(true, clock);
  const questions = new CallQuestions(
    { ledger, clock },
    { body } as WorkerCall,
    hand,
    DEFAULT_QUESTION_TIMES,
  );
  let told: unknown;
  void questions.ask({ message, schema }).then(
    (reply) => (told = reply),
    () => undefined,
  );
  await clock.advance(1_000);
  questions.end();
  return { told: () => told };
}

const asked = async () => {
  const rows = await Promise.all(
    [1, 2, 3].map((number) => ports.store.getAnswer(inputId(body.tool_call_id, 'question', number))),
  );
  return rows.flatMap((row) => (row?.question ? [[row.question.message, row.question.schema]] : []));
};

describe('a question of an attempt that follows a lost one', () => {
  beforeEach(async () => {
    await askAgain(MESSAGE, form('GOT-1', 'GOT-3'));
    await ports.store.answer({
      _id: inputId(body.tool_call_id, 'input', 1),
      turn_id: 'turn_1',
      conversation_id: 'conv_1',
      content: { account: 'GOT-1' },
      by: 'ann',
      at: new Date(clock.wall()).toISOString(),
    });
  });

  it('is already answered when it is identical', async () => {
    const { told } = await askAgain(MESSAGE, form('GOT-1', 'GOT-3'));
    expect(told()).toEqual({ action: 'accept', content: { account: 'GOT-1' } });
    expect(await asked()).toHaveLength(1);
  });

  it.each([
    ['in other words', 'From which account?', form('GOT-1', 'GOT-3')],
    ['with another form', MESSAGE, form('GOT-2', 'GOT-3')],
  ])('is asked again %s', async (_how, message, schema) => {
    const { told } = await askAgain(message, schema);
    expect(told()).toBeUndefined();
    expect((await asked())[1]).toEqual([message, schema]);
  });
});
