import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HttpAgent, type BaseEvent, type Interrupt, type Message } from '@ag-ui/client';
import type { ConversationEvent, Step } from '#contracts';
import { createMetrics } from '#observability';
import { inTime, waitFor } from '../../services/wait-for.js';
import { JWT_SECRET, signTestToken, startHarness, type Harness } from '../gateway/gateway-harness.js';
import { addCall, PlayedTurn } from '../gateway/played-turn.js';

const metrics = createMetrics({ collectDefaults: false });
let harness: Harness;
let seen: Set<string>;
beforeEach(async () => {
  seen = new Set();
  harness = await startHarness({ alter: () => ({ metrics }) });
});
afterEach(() => harness.stop());

/** The official client on one thread, and what it was told. */
function agentOf(threadId: string, headers: Record<string, string> = {}) {
  const agent = new HttpAgent({ url: `${harness.url}/ag-ui`, threadId, headers });
  const events: (BaseEvent & Record<string, unknown>)[] = [];
  agent.subscribe({ onEvent: ({ event }) => void events.push(event) });
  return {
    agent,
    events,
    types: () => events.map(({ type }) => type as string),
    ask: (content: string, runId?: string) => {
      agent.addMessage({ id: `user-${content}`, role: 'user', content });
      const run = agent.runAgent(runId === undefined ? {} : { runId });
      run.catch(() => undefined);
      return run;
    },
  };
}

/** The turn that a run has started since it was asked last. */
async function nextTurn(user = 'local'): Promise<PlayedTurn> {
  const find = async () => (await harness.store.listUnendedTurnsOf(user)).find(({ _id }) => !seen.has(_id));
  const turn = await waitFor(find, { what: 'a turn' });
  seen.add(turn._id);
  return new PlayedTurn(harness, turn);
}

async function playCalls(
  played: PlayedTurn,
  calls: Step['calls'],
  ended: Step['calls'] = calls,
): Promise<ConversationEvent[]> {
  await played.start();
  played.beginStep(1);
  played.token(1, 'Let me look.');
  await played.commit(1, 'Let me look.', calls);
  return endCalls(played, ended);
}

async function endCalls(played: PlayedTurn, calls: Step['calls']): Promise<ConversationEvent[]> {
  const ends: ConversationEvent[] = [];
  for (const call of calls) {
    await played.claim(call.tool_call_id, 'worker-1');
    const end = await played.settle(call, 1, 3);
    played.emit(end);
    ends.push(end);
  }
  return ends;
}

async function playLast(played: PlayedTurn, settled: ConversationEvent[], text = 'It is 3.'): Promise<void> {
  played.beginStep(2, settled as never);
  played.token(2, text);
  const row = await played.commit(2, text);
  await harness.store.setTurnStatus(played.turn._id, 'completed');
  played.complete(row);
}

const textsOf = (messages: Message[]) => messages.map(({ role, content }) => [role, content]);

describe('an AG-UI run', () => {
  it('consists of steps, text, tool calls and their results that the official client accepts', async () => {
    const { ask, agent, types, events } = agentOf('my thread');
    const asked = ask('what is 1 + 2?', 'run-1');
    const played = await nextTurn();
    expect(played.turn.content).toBe('what is 1 + 2?');
    await playLast(played, await playCalls(played, [addCall('A'), addCall('B')]));
    const { newMessages } = await asked;
    const call = ['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END'];
    expect(types()).toEqual([
      'RUN_STARTED',
      'STEP_STARTED',
      ...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'],
      ...[...call, ...call],
      ...['TOOL_CALL_RESULT', 'TOOL_CALL_RESULT'],
      ...['STEP_FINISHED', 'STEP_STARTED'],
      ...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'],
      'STEP_FINISHED',
      'RUN_FINISHED',
    ]);
    expect(events[0]).toMatchObject({
      threadId: 'my thread',
      runId: 'run-1',
      protocolVersion: '1.0',
      metadata: { conversation_id: played.turn.conversation_id, turn_id: played.turn._id },
    });
    expect(events.at(-1)).toMatchObject({
      outcome: { type: 'success' },
      usage: [{ inputTokens: 2, outputTokens: 2, totalTokens: 4, cachedInputTokens: 0 }],
    });
    expect(textsOf(newMessages)).toEqual([
      ['assistant', 'Let me look.'],
      ['tool', '3'],
      ['tool', '3'],
      ['assistant', 'It is 3.'],
    ]);
    expect(agent.messages[1]).toMatchObject({
      toolCalls: [{ function: { name: 'math.add', arguments: '{"a":1,"b":2}' } }, {}],
    });
  });

  it('reads its journal for none of its calls while no person is asked', async () => {
    const read = jest.spyOn(harness.store, 'readJournal');
    const { ask, types } = agentOf('t');
    const asked = ask('what is 1 + 2?');
    const played = await nextTurn();
    await playLast(played, await playCalls(played, [addCall('A'), addCall('B')]));
    await asked;
    expect(types().filter((type) => type === 'TOOL_CALL_RESULT')).toHaveLength(2);
    expect(read).not.toHaveBeenCalled();
  });

  it('sends the model’s thinking and the progress of tools', async () => {
    const { ask, types, events } = agentOf('t');
    const asked = ask('think');
    const played = await nextTurn();
    // What passes by is told to who is there, and to nobody later.
    await waitFor(() => types().includes('RUN_STARTED'), { what: 'the run' });
    await played.start();
    played.beginStep(1);
    const thought = { type: 'thinking' as const, step: 1, attempt: 100 };
    played.emit({ ...thought, ...played.fields, content: 'Well, ', offset: 0 });
    played.emit({ ...thought, ...played.fields, content: 'well.', offset: 6 });
    const call = addCall('A');
    await played.commit(1, '', [call]);
    const { tool_call_id, tool_name, display_name } = call;
    await played.claim(tool_call_id, 'worker-1');
    const named = { step: 1, tool_call_id, tool_name, display_name, source: 'local' as const };
    const start = { tool_input: '{}', tool_args: {}, toolset: 'math', attempt: 1 };
    played.emit({ type: 'tool_start', ...played.fields, ...named, ...start });
    played.emit({ type: 'tool_progress', ...played.fields, step: 1, tool_call_id, progress: 1, total: 2 });
    await playLast(played, await endCalls(played, [call]));
    await asked;
    const thoughts = events.filter(({ type }) => type === 'REASONING_MESSAGE_CONTENT');
    expect(thoughts.map(({ delta }) => delta).join('')).toBe('Well, well.');
    expect(types().slice(2, 4)).toEqual(['REASONING_START', 'REASONING_MESSAGE_START']);
    expect(events.find(({ type }) => type === 'CUSTOM')).toMatchObject({
      name: 'tool_progress',
      value: { toolCallId: tool_call_id, progress: 1, total: 2 },
    });
  });

  it('takes back the text of a restarted step', async () => {
    const { ask, agent, types } = agentOf('t');
    const asked = ask('again');
    const played = await nextTurn();
    await played.start();
    played.beginStep(1);
    played.token(1, 'Wrong way');
    await waitFor(() => agent.messages.some(({ content }) => content === 'Wrong way'), { what: 'the text' });
    played.emit({ type: 'step_restarted', ...played.fields, step: 1, attempt: 101 });
    const token = { type: 'token' as const, ...played.fields, step: 1, attempt: 101, offset: 0 };
    played.emit({ ...token, content: 'The right one.' });
    const row = { ...played.stepRow(1, 'The right one.'), attempt: 101 };
    await harness.store.commitStep(row);
    played.complete(row);
    await asked;
    expect(types()).toContain('MESSAGES_SNAPSHOT');
    expect(textsOf(agent.messages)).toEqual([
      ['user', 'again'],
      ['assistant', 'The right one.'],
    ]);
  });

  it('that fails ends with an error; one that is stopped ends as cancelled', async () => {
    const failing = agentOf('a');
    const first = failing.ask('fail');
    const played = await nextTurn();
    await playCalls(played, [addCall('A')], []);
    const error = { code: 'budget_exceeded' as const, message: 'Enough.' };
    await harness.store.commitStep({ ...played.stepRow(2, ''), kind: 'fail', error });
    played.emit({ type: 'error', ...played.fields, ...error });
    await first.catch(() => undefined);
    expect(failing.events.at(-1)).toMatchObject({ type: 'RUN_ERROR', ...error });
    expect(failing.types()).toContain('TOOL_CALL_RESULT');

    const stopped = agentOf('b');
    const second = stopped.ask('stop');
    const other = await nextTurn();
    await other.start();
    await fetch(`${harness.url}/api/turns/${other.turn._id}/stop`, { method: 'POST' });
    await second;
    expect(stopped.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
  });

  it('is replayed from its beginning when it is sent again, even after it has ended', async () => {
    const lost = agentOf('t');
    lost.ask('what is 1 + 2?', 'run-1').catch(() => undefined);
    const played = await nextTurn();
    const ends = await playCalls(played, [addCall('A')]);
    await waitFor(() => lost.types().includes('TOOL_CALL_RESULT'), { what: 'the result' });
    lost.agent.abortRun();
    const [again, third] = [agentOf('t'), agentOf('t')];
    const asked = again.ask('what is 1 + 2?', 'run-1');
    await waitFor(() => again.types().includes('TOOL_CALL_RESULT'), { what: 'the same' });
    await playLast(played, ends);
    await asked;
    await third.ask('what is 1 + 2?', 'run-1');
    expect(third.types()).toEqual(again.types());
    expect(third.agent.messages).toEqual(again.agent.messages);
    expect(await harness.store.listTurns(played.turn.conversation_id, { limit: 9 })).toHaveLength(1);
  });

  it('continues when its client leaves, and ends with an error when the server stops', async () => {
    const gone = agentOf('a');
    gone.ask('leave').catch(() => undefined);
    const played = await nextTurn();
    gone.agent.abortRun();
    const { feeds } = harness.running.gateway;
    const { conversation_id } = played.turn;
    await waitFor(() => feeds.find(conversation_id)?.hasViewers !== true, { what: 'nobody there' });
    expect((await harness.store.readJournal(played.turn._id))!.steps).toEqual([]);
    const { ask, events } = agentOf('b');
    const asked = ask('stay');
    await nextTurn();
    const stopping = harness.running.gateway.drain(0);
    const ended = asked.catch(() => undefined);
    await inTime(ended, { what: 'the end of the run' });
    await stopping;
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'server_restarting' });
  });

  it('of a client that stops reading uses bounded memory, and is complete when it reads again', async () => {
    const body = { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'much' }] };
    const response = await post(body);
    const played = await nextTurn();
    await played.start();
    played.beginStep(1);
    const piece = 'x'.repeat(64 * 1024);
    let length = 0;
    const dropped = async () => (await metrics.eventsDropped.get()).values[0]?.value ?? 0;
    const before = await dropped();
    const flood = async () => {
      for (let i = 0; i < 20; i++) played.token(1, piece);
      length += 20 * piece.length;
      return (await dropped()) > before;
    };
    await waitFor(flood, { what: 'more than the stream holds', timeoutMs: 20_000 });
    played.complete(await played.commit(1, 'x'.repeat(length)));
    const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: '));
    const told = events.map((event) => JSON.parse(event.slice(6)) as { type: string; delta?: string });
    expect(told.reduce((sum, { delta = '' }) => sum + delta.length, 0)).toBe(length);
    expect(told.at(-1)!.type).toBe('RUN_FINISHED');
  });
});

describe('an AG-UI thread', () => {
  it('is one conversation of its user, regardless of its name', async () => {
    const { ask } = agentOf('Tea & biscuits ☕');
    const first = ask('one');
    const one = await nextTurn();
    await one.answer('First.');
    await first;
    const second = ask('two');
    const two = await nextTurn();
    expect(two.turn).toMatchObject({ conversation_id: one.turn.conversation_id, number: 2, content: 'two' });
    await two.answer('Second.');
    await second;
    const listed = (await (await fetch(`${harness.url}/api/conversations`)).json()) as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([one.turn.conversation_id]);
  });

  it('can be a conversation that began elsewhere, and a new client receives its messages', async () => {
    const viewer = await harness.connect();
    const { conversation_id, turn_id } = await viewer.send('from the page');
    seen.add(turn_id);
    const before = await PlayedTurn.take(harness, turn_id);
    await before.answer('To the page.');
    const { ask, agent } = agentOf(conversation_id);
    const asked = ask('from the agent');
    const played = await nextTurn();
    expect(played.turn).toMatchObject({ conversation_id, number: 2 });
    await played.answer('To the agent.');
    await asked;
    expect(textsOf(agent.messages)).toEqual([
      ['user', 'from the page'],
      ['assistant', 'To the page.'],
      ['user', 'from the agent'],
      ['assistant', 'To the agent.'],
    ]);
    await waitFor(() => viewer.events('complete').length === 2, { what: 'the page sees it' });
  });

  it('is separate for each of two simultaneous first runs', async () => {
    const [a, b] = [agentOf('a'), agentOf('b')];
    const asked = [a.ask('same', 'run'), b.ask('same', 'run')];
    const turns = [await nextTurn(), await nextTurn()];
    for (const played of turns) await played.answer(played.turn.conversation_id);
    const [one, two] = await Promise.all(asked);
    expect(one!.newMessages[0]!.content).not.toBe(two!.newMessages[0]!.content);
  });

  it('passes instructions and context to the model, and only its last message', async () => {
    const { agent } = agentOf('t');
    agent.setMessages([
      { id: '1', role: 'system', content: 'Be brief.' },
      { id: '2', role: 'user', content: 'Old' },
      { id: '3', role: 'assistant', content: 'Older' },
      { id: '4', role: 'user', content: [{ type: 'text', text: 'New' }] },
    ]);
    const tools = [{ name: 'confetti', description: 'Throws it', parameters: {} }];
    const asked = agent.runAgent({ tools, context: [{ description: 'Page', value: '/home' }] });
    const played = await nextTurn();
    expect(played.turn).toMatchObject({
      number: 1,
      content: 'New',
      options: { system: 'Be brief.\n\nPage: /home' },
    });
    await played.answer('Yes.');
    await asked;
  });
});

describe('an approval over AG-UI', () => {
  /** A turn that waits for approval of one of two calls. */
  async function park(thread: ReturnType<typeof agentOf>) {
    const asked = thread.ask('add them');
    const played = await nextTurn();
    const [free, guarded] = [addCall('A'), addCall('B', 'required')];
    await played.start();
    played.beginStep(1);
    await played.commit(1, '', [free, guarded]);
    const ends = await endCalls(played, [free]);
    await asked;
    return { played, guarded, ends };
  }

  it('ends the run with an interrupt, and a run with the answer continues the turn', async () => {
    const thread = agentOf('t');
    const { played, guarded, ends } = await park(thread);
    const { agent, events } = thread;
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'interrupt', interrupts: [{ toolCallId: guarded.tool_call_id }] },
    });
    const [interrupt] = agent.pendingInterrupts;
    events.length = 0;
    const payload = { approved: true };
    const resumed = agent.runAgent({
      resume: [{ interruptId: interrupt!.id, status: 'resolved', payload }],
    });
    const approved = async () => harness.store.getAnswer(`${guarded.tool_call_id}:approval`);
    expect(await waitFor(approved, { what: 'the answer' })).toMatchObject({ decision: 'approve' });
    await playLast(played, [...ends, ...(await endCalls(played, [guarded]))]);
    await resumed;
    expect(thread.types()).toEqual([
      ...['RUN_STARTED', 'STEP_STARTED', 'TOOL_CALL_RESULT', 'STEP_FINISHED', 'STEP_STARTED'],
      ...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END', 'STEP_FINISHED', 'RUN_FINISHED'],
    ]);
    expect(textsOf(agent.messages)).toEqual([
      ['user', 'add them'],
      ['assistant', undefined],
      ['tool', '3'],
      ['tool', '3'],
      ['assistant', 'It is 3.'],
    ]);
    expect(agent.pendingInterrupts).toEqual([]);
  });

  it('is denied by cancelling', async () => {
    const thread = agentOf('t');
    const { played, guarded } = await park(thread);
    const [{ id: interruptId }] = thread.agent.pendingInterrupts as [Interrupt];
    thread.agent.runAgent({ resume: [{ interruptId, status: 'cancelled' }] }).catch(() => undefined);
    const denied = async () => harness.store.getAnswer(`${guarded.tool_call_id}:approval`);
    expect(await waitFor(denied, { what: 'the answer' })).toMatchObject({ decision: 'deny' });
    await playLast(played, []);
  });

  it('may be answered elsewhere, and the rest is sent nevertheless', async () => {
    const thread = agentOf('t');
    const { played, guarded, ends } = await park(thread);
    const path = `/api/turns/${played.turn._id}/calls/${guarded.tool_call_id}/approval`;
    const decided = await fetch(harness.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"decision":"approve"}',
    });
    expect(decided.status).toBe(200);
    await playLast(played, [...ends, ...(await endCalls(played, [guarded]))]);
    const [{ id: interruptId }] = thread.agent.pendingInterrupts as [Interrupt];
    await thread.agent.runAgent({ resume: [{ interruptId, status: 'cancelled' }] });
    expect(textsOf(thread.agent.messages).slice(-2)).toEqual([
      ['tool', '3'],
      ['assistant', 'It is 3.'],
    ]);
  });

  it('cannot be answered when it was not requested', async () => {
    await park(agentOf('t'));
    const base = { threadId: 't', runId: 'r', messages: [] };
    const entry = (interruptId: string, payload: unknown) => [{ interruptId, status: 'resolved', payload }];
    for (const [resume, status] of [
      [entry('nonsense', {}), 422],
      [entry(`call_${'B'.padEnd(22, '0')}:approval`, { approved: 'yes' }), 422],
      [entry(`call_${'Z'.padEnd(22, '0')}:approval`, { approved: true }), 404],
    ] as const)
      expect((await post({ ...base, resume })).status).toBe(status);
    const other = { ...base, threadId: 'other', resume: entry(`call_${'B'.padEnd(22, '0')}:approval`, true) };
    expect((await post(other)).status).toBe(404);
  });
});

function post(body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(`${harness.url}/ag-ui`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
    headers: { 'Content-Type': 'application/json', ...(init.headers as object) },
  });
}

describe('AG-UI refusals', () => {
  const hello = { id: 'm', role: 'user', content: 'Hi' };
  const run = (change: object = {}) => ({ threadId: 't', runId: 'r', messages: [hello], ...change });

  it('are JSON errors of the run', async () => {
    const user = (content: unknown) => run({ messages: [{ ...hello, content }] });
    const answers: [Promise<Response>, number, string][] = [
      [post('{'), 400, 'invalid'],
      [post(''), 422, 'invalid'],
      [post({}), 422, 'invalid'],
      [post(run({ threadId: 5 })), 422, 'invalid'],
      [post(run({ runId: '' })), 422, 'invalid'],
      [post(run({ messages: undefined })), 422, 'invalid'],
      [post(run({ messages: [] })), 422, 'invalid'],
      [post(user('  ')), 422, 'invalid'],
      [post(user(5)), 422, 'invalid'],
      [post(user([{ type: 'image', source: {} }])), 422, 'invalid'],
      [post(user('x'.repeat(65_537))), 413, 'content_too_long'],
      [post(run({ pad: 'x'.repeat(4_200_000) })), 413, 'content_too_long'],
      [post('x', { headers: { 'Content-Type': 'text/plain' } }), 415, 'invalid'],
      [post(run(), { headers: { Origin: 'https://evil.example' } }), 403, 'forbidden'],
      [post('', { method: 'PUT' }), 405, 'invalid'],
      [fetch(`${harness.url}/ag-ui`), 405, 'invalid'],
    ];
    for (const [answer, status, code] of answers) {
      const response = await answer;
      const body = (await response.json()) as object;
      expect([response.status, body]).toEqual([
        status,
        { type: 'RUN_ERROR', code, message: expect.stringMatching(/./) },
      ]);
    }
    expect((await fetch(`${harness.url}/ag-ui`)).headers.get('allow')).toBe('POST');
    expect(await harness.store.countUnendedTurns('local')).toBe(0);
  });

  it('report content that is too long', async () => {
    const system = { id: 's', role: 'system', content: 'x'.repeat(200_001) };
    const refused = await post(run({ messages: [system, hello] }));
    expect([refused.status, await refused.json()]).toMatchObject([
      413,
      { message: expect.stringMatching(/^System messages and context have at most/) },
    ]);
  });

  it('reach users of the official client', async () => {
    const { ask } = agentOf('t');
    await expect(ask('x'.repeat(70_000))).rejects.toMatchObject({ status: 413 });
  });
});

describe('AG-UI users', () => {
  it('have separate threads, even for the same name or another user’s id', async () => {
    await harness.stop();
    harness = await startHarness({ config: { auth: { kind: 'jwt', secret: JWT_SECRET } as never } });
    const as = async (user: string) => ({ Authorization: `Bearer ${await signTestToken(user)}` });
    const ann = agentOf('shared', await as('ann'));
    ann.ask('mine').catch(() => undefined);
    const hers = await nextTurn('ann');
    for (const threadId of ['shared', hers.turn.conversation_id]) {
      const bob = agentOf(threadId, await as('bob'));
      bob.ask('mine, too').catch(() => undefined);
      const his = await nextTurn('bob');
      expect(his.turn).toMatchObject({ number: 1, user_id: 'bob' });
      expect(his.turn.conversation_id).not.toBe(hers.turn.conversation_id);
      expect(bob.types()).not.toContain('MESSAGES_SNAPSHOT');
    }
    expect(await (await post({})).json()).toMatchObject({ type: 'RUN_ERROR', code: 'unauthorized' });
  });
});
