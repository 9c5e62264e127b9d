import { afterEach, describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import type { Question, Reply, ToolContext } from '#tools';
import { SystemClock } from '#time';
import {
  createToolset,
  serverScript,
  stdioServer,
  stopToolsets,
  testServerScript,
  toolContext,
  toolOf,
} from '../testing/fixture.js';
import { Elicitation } from './elicitation.js';

afterEach(stopToolsets);

/** A person who gives these replies in order. */
function person(...replies: Reply[]) {
  const questions: Question[] = [];
  const ask: ToolContext['ask'] = async (question) => {
    questions.push(question);
    return replies[questions.length - 1]!;
  };
  return { questions, ask };
}

const account = (value: string): Reply => ({ action: 'accept', content: { account: value } });

describe('a server that asks in the middle of a call (before 2026-07-28)', () => {
  it('server-everything: receives the answer, or that the person declined', async () => {
    const toolset = createToolset(stdioServer('everything', [serverScript('everything')]));
    await toolset.start();
    const tool = toolOf(toolset, 'trigger-elicitation-request');
    const ann = person({ action: 'accept', content: { name: 'Ann', integer: 7 } }, { action: 'decline' });
    const accepted = plainText(await tool.run({}, toolContext({ ask: ann.ask })));
    expect(accepted).toContain('- Name: Ann');
    expect(accepted).toContain('- Favorite Integer: 7');
    expect(plainText(await tool.run({}, toolContext({ ask: ann.ask })))).toContain('declined');
    expect(ann.questions[0]).toMatchObject({
      message: 'Please provide inputs for the following fields:',
      schema: { required: ['name'], properties: { email: { format: 'email' } } },
    });
  });

  const asking = { message: 'Which?', requestedSchema: { type: 'object' as const, properties: {} } };
  const { signal } = new AbortController();

  it('gets an error when its request could belong to several conversations, and no one is asked', async () => {
    const elicitation = new Elicitation(new SystemClock());
    const somebody = person(account('GOT-1'));
    const call = (conversationId: string) =>
      elicitation.during(toolContext({ conversationId, ask: somebody.ask }), () => new Promise(() => {}));
    await expect(elicitation.answer(asking, signal)).rejects.toThrow('no call of this server is running');
    void call('c1');
    expect(await elicitation.answer(asking, signal)).toEqual(account('GOT-1'));
    expect(somebody.questions[0]).not.toHaveProperty('among');
    void call('c2');
    await expect(elicitation.answer(asking, signal)).rejects.toThrow('several conversations');
    expect(somebody.questions).toHaveLength(1);
  });

  it('asks once for each of two calls of a conversation, and says that it may be either', async () => {
    const elicitation = new Elicitation(new SystemClock());
    const asked: [string, number | undefined][] = [];
    const start = (name: string) =>
      elicitation.during(
        toolContext({ ask: ({ among }) => (asked.push([name, among]), new Promise<Reply>(() => {})) }),
        () => new Promise(() => {}),
      );
    for (const name of ['first', 'second']) void start(name);
    for (let question = 0; question < 2; question++) void elicitation.answer(asking, signal);
    await new Promise(setImmediate);
    expect(asked).toEqual([
      ['first', 2],
      ['second', 2],
    ]);
  });

  it('receives cancel when the call is stopped while the person is asked', async () => {
    const elicitation = new Elicitation(new SystemClock());
    const stop = new AbortController();
    const ask = () => Promise.reject(new Error('stopped'));
    const running = toolContext({ ask, signal: stop.signal });
    void elicitation.during(running, () => new Promise(() => {}));
    stop.abort();
    expect(await elicitation.answer(asking, signal)).toEqual({ action: 'cancel' });
  });
});

describe('a server that ends a call with its questions (2026-07-28)', () => {
  async function start(overrides = {}) {
    const toolset = createToolset(stdioServer('asking', [testServerScript('asking')], overrides));
    await toolset.start();
    return toolset;
  }
  async function run(tool: string, ask: ToolContext['ask']) {
    return toolOf(await start(), tool).run({}, toolContext({ ask }));
  }

  it('is called again with the answer', async () => {
    const ann = person(account('GOT-3'));
    expect(plainText(await run('ask', ann.ask))).toBe('the account is GOT-3');
    expect(ann.questions).toMatchObject([
      { message: 'Which account?', schema: { properties: { account: { enum: ['GOT-1', 'GOT-3'] } } } },
    ]);
    expect(plainText(await run('ask', person({ action: 'decline' }).ask))).toBe('the account is decline');
  });

  it('may ask several rounds, gets its state back, and may declare an output schema', async () => {
    const ann = person(account('GOT-1'), account('GOT-3'));
    const result = await run('ask_twice', ann.ask);
    expect(result.data).toMatchObject({ structured: { from: 'GOT-1', to: 'GOT-3' } });
    expect(ann.questions.map(({ message }) => message)).toEqual(['From which account?', 'To which account?']);
  });

  it.each(['eager', 'demand'] as const)(
    'runs another call in the slot while the person is asked (start: %s)',
    async (start_) => {
      const toolset = await start({ start: start_, concurrency: 1 });
      const tool = toolOf(toolset, 'ask');
      const bob = person(account('GOT-1'));
      // Ann's call has the only slot; she answers when Bob's call is done.
      const ask = async () => {
        const other = await tool.run({}, toolContext({ ask: bob.ask, conversationId: 'of bob' }));
        expect(plainText(other)).toBe('the account is GOT-1');
        return account('GOT-3');
      };
      expect(plainText(await tool.run({}, toolContext({ ask })))).toBe('the account is GOT-3');
      expect(bob.questions).toHaveLength(1);
    },
  );

  it('fails the call when it asks to open a web address', async () => {
    const nobody = person();
    await expect(run('ask_by_link', nobody.ask)).rejects.toMatchObject({
      detail: { error_type: 'ToolExecutionError' },
    });
    expect(nobody.questions).toEqual([]);
  });
});
