import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Answer, ToolCallBody, ToolClass } from '#contracts';
import { defineTool, defineToolset, Slots, type Question, type ToolContext } from '#tools';
import { inputId } from '#turn';
import { callRow, openPorts, stepRow, TURN_ID, type TestPorts } from '#journal/testing';
import { waitFor } from '../../services/wait-for.js';
import type { QuestionTimes } from '../../../apps/tool-worker/run/call-questions.js';
import type { CallRunner } from '../../../apps/tool-worker/run/call-runner.js';
import { createCallRunner } from '../../../apps/tool-worker/testing/create-call-runner.js';

const which: Question = {
  message: 'Which account?',
  schema: { type: 'object', properties: { account: { type: 'string' } }, required: ['account'] },
};
const patience = { timeoutMs: 20_000 };

let ports: TestPorts;
beforeEach(async () => {
  ports = await openPorts('worker-1');
});
afterEach(() => ports.store.close());

type Run = (context: ToolContext) => Promise<unknown>;
const askOnce: Run = async ({ ask }) => JSON.stringify(await ask(which));

/** A worker whose one tool does what `run` does. */
function createRunner(run: Run, times: Partial<QuestionTimes> = {}, timeoutMs = 10_000): CallRunner {
  const ask = defineTool({
    name: 'ask',
    description: 'asks',
    input: z.strictObject({}),
    class: 'once',
    timeoutMs,
    run: (_args, context) => run(context),
  });
  const hosts = [defineToolset({ name: 'test', version: '1.0.0', tools: [ask] })];
  return createCallRunner(ports, hosts, { questionTimes: times });
}

function bodyOf(number: number, toolClass: ToolClass = 'once', timeout_ms = 10_000): ToolCallBody {
  const { tool_call_id, arguments: args } = callRow(number, { arguments: {} });
  return {
    tool_call_id,
    turn_id: TURN_ID,
    conversation_id: 'conv_1',
    n: 1,
    user_id: 'ann',
    tool_name: 'test.ask',
    arguments: args,
    class: toolClass,
    timeout_ms,
    deadline: new Date(Date.now() + 60_000).toISOString(),
    reply_to: 'orchestrator.1',
  };
}

const answerOf = ({ tool_call_id, turn_id, conversation_id }: ToolCallBody, number = 1): Answer => ({
  _id: inputId(tool_call_id, 'input', number),
  turn_id,
  conversation_id,
  content: { account: 'GOT-3' },
  by: 'ann',
  at: new Date().toISOString(),
});
const outcomeOf = ({ tool_call_id }: ToolCallBody) =>
  waitFor(() => ports.store.getOutcome(tool_call_id), { what: 'an outcome', ...patience });
const eventTypes = () => ports.recorded.events.map(({ type }) => type);

describe('a call that asks a person', () => {
  it('is acknowledged, lends its slot, and continues when it is notified of the answer', async () => {
    const runner = createRunner(askOnce, { lookEveryMs: 600_000 });
    const slots = new Slots(1);
    const [first, second] = [bodyOf(1), bodyOf(2)];
    expect(await runner.handle(first, slots)).toBe('ack');
    // The only slot is free again.
    expect(await runner.handle(second, slots)).toBe('ack');
    expect(await ports.store.getOutcome(first.tool_call_id)).toBeNull();
    const question = await ports.store.getAnswer(inputId(first.tool_call_id, 'question', 1));
    expect(question).toMatchObject({ question: which, by: 'worker-1' });
    expect(ports.recorded.events[1]).toMatchObject({ type: 'input_required', number: 1, ...which, step: 1 });
    await ports.store.answer(answerOf(first));
    runner.answered(first.tool_call_id);
    expect(await outcomeOf(first)).toMatchObject({
      status: 'success',
      data: { text: '{"action":"accept","content":{"account":"GOT-3"}}' },
    });
    void runner.cancel(second);
    await outcomeOf(second);
  });

  it('finds an answer without a notification, and its timeout does not run meanwhile', async () => {
    const runner = createRunner(askOnce, { lookEveryMs: 20 });
    let looks = 0;
    const { getAnswer } = ports.store;
    ports.store.getAnswer = (id) => {
      looks++;
      return getAnswer.call(ports.store, id);
    };
    const body = bodyOf(1, 'once', 50);
    expect(await runner.handle(body, new Slots(1))).toBe('ack');
    // Five times its timeout.
    await waitFor(() => looks > 13, { what: 'looks', ...patience });
    await ports.store.answer(answerOf(body));
    expect(await outcomeOf(body)).toMatchObject({ status: 'success' });
  });

  it('learns that no one answered when the question expires, and so do its viewers', async () => {
    const runner = createRunner(askOnce, { expireMs: 30 });
    const body = bodyOf(1);
    expect(await runner.handle(body, new Slots(1))).toBe('ack');
    expect(await outcomeOf(body)).toMatchObject({ data: { text: '{"action":"cancel"}' } });
    const row = await ports.store.getAnswer(inputId(body.tool_call_id, 'input', 1));
    expect(row).toMatchObject({ action: 'cancel', by: 'system' });
    await waitFor(() => eventTypes().includes('tool_complete'), { what: 'its end is told', ...patience });
    expect(eventTypes()).toEqual(['tool_start', 'input_required', 'input_answered', 'tool_complete']);
    expect(ports.recorded.bodies('turn.advance').map(([to]) => to)).toEqual(['orchestrator.1', 'turns']);
  });

  it('ends as Cancelled when it is stopped', async () => {
    const runner = createRunner(askOnce);
    const body = bodyOf(1);
    await runner.handle(body, new Slots(1));
    void runner.cancel(body);
    const error = { error_type: 'Cancelled', error_details: { started: true } };
    expect(await outcomeOf(body)).toMatchObject({ status: 'failure', error });
  });

  it('is not handled twice when its message is redelivered meanwhile', async () => {
    let starts = 0;
    const runner = createRunner(async (context) => {
      starts++;
      return askOnce(context);
    });
    const body = bodyOf(1, 'idempotent');
    await runner.handle(body, new Slots(2));
    expect(await runner.handle(body, new Slots(2))).toBe('ack');
    expect(starts).toBe(1);
    void runner.cancel(body);
    await outcomeOf(body);
  });

  it('may ask several times, one question after the other', async () => {
    const runner = createRunner(async ({ ask }) => {
      const replies = await Promise.all([ask(which), ask({ ...which, message: 'And which then?' })]);
      return replies.map(({ action }) => action).join(' ');
    });
    const body = bodyOf(1);
    await runner.handle(body, new Slots(1));
    const asked = () => eventTypes().filter((type) => type === 'input_required').length;
    expect(asked()).toBe(1);
    await ports.store.answer(answerOf(body));
    runner.answered(body.tool_call_id);
    await waitFor(() => asked() === 2, { what: 'the second question', ...patience });
    const { content: _, ...declined } = { ...answerOf(body, 2), action: 'decline' as const };
    await ports.store.answer(declined);
    runner.answered(body.tool_call_id);
    expect(await outcomeOf(body)).toMatchObject({ data: { text: 'accept decline' } });
  });

  it.each([
    ['nested', { type: 'object', properties: { a: { type: 'object', properties: {} } } }],
    ['not an object', { type: 'string' }],
  ])(
    'is told that a schema cannot be shown as a form (%s), and no person is asked',
    async (_what, schema) => {
      const runner = createRunner(({ ask }) => ask({ message: 'Which?', schema }));
      const body = bodyOf(1);
      await runner.handle(body, new Slots(1));
      expect(await outcomeOf(body)).toMatchObject({
        error: { error_type: 'ValidationError', error_message: expect.stringContaining('form') },
      });
      expect(eventTypes()).toEqual(['tool_start', 'tool_error']);
    },
  );
});

describe('a worker that is lost while it asks a person', () => {
  // It looks for no answer any more.
  const lost = { lookEveryMs: 600_000 };

  /** Another worker, which finds the first one dead. */
  async function runAgain(body: ToolCallBody, run: Run): Promise<void> {
    await ports.store.commitStep(stepRow(1, { calls: [callRow(1, { class: 'idempotent' })] }));
    ports.dead.add('worker-1');
    ports = Object.assign(ports, { me: 'worker-2' });
    await createRunner(run).handle(body, new Slots(1));
  }

  it('leaves its question to the next attempt, which does not repeat an answered one', async () => {
    const body = bodyOf(1, 'idempotent');
    await createRunner(askOnce, lost).handle(body, new Slots(1));
    await ports.store.answer(answerOf(body));
    await runAgain(body, askOnce);
    expect(await outcomeOf(body)).toMatchObject({ attempt: 2, worker: 'worker-2', status: 'success' });
    expect(eventTypes().filter((type) => type === 'input_required')).toHaveLength(1);
  });

  it('does not apply its answer to another question', async () => {
    const body = bodyOf(1, 'idempotent');
    await createRunner(askOnce, lost).handle(body, new Slots(1));
    await ports.store.answer(answerOf(body));
    await runAgain(body, ({ ask }) => ask({ ...which, message: 'Delete everything?' }));
    expect(ports.recorded.events.at(-1)).toMatchObject({ type: 'input_required', number: 2 });
    expect(await ports.store.getOutcome(body.tool_call_id)).toBeNull();
  });
});

describe('a leaving worker with open questions', () => {
  it('ends calls that cannot be run again without the answer, and leaves the others to be run again', async () => {
    const runner = createRunner(askOnce);
    const [once, again] = [bodyOf(1, 'once'), bodyOf(2, 'idempotent')];
    await runner.handle(once, new Slots(1));
    await runner.handle(again, new Slots(1));
    runner.leave();
    await runner.finish();
    expect(await ports.store.getOutcome(once.tool_call_id)).toMatchObject({
      data: { text: '{"action":"cancel"}' },
    });
    expect(await ports.store.getOutcome(again.tool_call_id)).toBeNull();
    expect(await ports.store.getAnswer(inputId(again.tool_call_id, 'input', 1))).toBeNull();
  });
});
