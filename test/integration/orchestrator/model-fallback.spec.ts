import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ModelError, type ModelPart, type ModelRequest } from '#llm';
import { defineToolset } from '#tools';
import { DEFAULT_BUDGETS } from '#turn';
import { FleetHarness, scriptedModel, USAGE } from './fleet-harness.js';

const end = { type: 'end' as const, usage: USAGE };
const say = (text: string): ModelPart[] => [
  { type: 'text', text },
  { ...end, stop_reason: 'end_turn' },
];
const overloaded = (retryAfterMs = 1) =>
  new ModelError('The model is overloaded.', 'overloaded', { retryable: true, retryAfterMs, status: 529 });

/** `replies` by model; an error is thrown. What has no reply says its name. */
function modelsThat(replies: Record<string, (request: ModelRequest, times: number) => ModelPart[] | Error>) {
  const asked: string[] = [];
  const model = scriptedModel((request) => {
    const times = asked.filter((name) => name === request.model).length;
    asked.push(request.model);
    const reply = replies[request.model]?.(request, times) ?? say(`I am ${request.model}.`);
    if (reply instanceof Error) throw reply;
    return reply;
  });
  return { model, asked };
}

const withFallback = (...fallback: string[]) => ({
  model: 'one/a',
  modelUse: new Map([['one/a', { fallback }]]),
});

let fleet: FleetHarness;
beforeEach(async () => {
  fleet = await FleetHarness.open();
});
afterEach(() => fleet.close());

describe('the model of a turn', () => {
  it('is the message’s, else the conversation’s, else the deployment’s, and is stored with the step', async () => {
    const { model } = modelsThat({});
    await fleet.startOrchestrator(model, { model: 'one/a' });
    const turns = [
      await fleet.submit('deployment'),
      await fleet.submit('conversation', { model: 'two/b' }),
      await fleet.submit('message', { model: 'two/b', options: { model: 'three/c' } }),
    ];
    const ends = await Promise.all(turns.map((turn) => fleet.event(turn, 'complete')));
    expect(ends.map((event) => [event.model, event.content])).toEqual([
      ['one/a', 'I am one/a.'],
      ['two/b', 'I am two/b.'],
      ['three/c', 'I am three/c.'],
    ]);
    const step = await fleet.store.getStep(turns[1]!._id, 1);
    expect(step?.model).toBe('two/b');
  });

  it('that is unavailable fails this turn with the reason, and the next one can choose another', async () => {
    const no = new ModelError('MODEL names no known provider.', 'invalid', { retryable: false });
    const { model } = modelsThat({ 'nowhere/x': () => no });
    await fleet.startOrchestrator(model, { model: 'one/a' });
    const turn = await fleet.submit('go', { model: 'nowhere/x' });
    expect(await fleet.event(turn, 'error')).toMatchObject({
      code: 'model_error',
      message: 'MODEL names no known provider.',
    });
    await fleet.store.updateConversation(turn.conversation_id, { model: '' });
    const next = await fleet.submit('again', { after: turn });
    expect(await fleet.event(next, 'complete')).toMatchObject({ model: 'one/a' });
  });
});

it('the requested output never exceeds the model’s known maximum', async () => {
  const overloadedOnce = { 'one/a': () => overloaded(60_000) };
  const { model } = modelsThat(overloadedOnce);
  const modelUse = new Map([
    ['one/a', { fallback: ['two/b'], maxOutputTokens: 300 }],
    ['two', { maxOutputTokens: 200 }],
  ]);
  await fleet.startOrchestrator(model, { model: 'one/a', modelUse });
  const ends = [{ max_output_tokens: 100_000 }, { max_output_tokens: 150 }, {}].map(async (options) => {
    await fleet.event(await fleet.submit('go', { options }), 'complete');
  });
  await Promise.all(ends);
  const asked = model.requests.map((request) => [request.model, request.max_output_tokens]);
  const byModel = (name: string) => asked.flatMap(([of, tokens]) => (of === name ? [tokens] : [])).sort();
  expect(byModel('one/a').every((tokens) => tokens === 150 || tokens === 300)).toBe(true);
  expect(byModel('two/b')).toEqual([150, 200, 200]);
});

describe('a model with a used-up account', () => {
  const usedUp = new ModelError('No credit left.', 'used_up', { retryable: false, status: 429 });

  it('is replaced by the next one at once, in this turn and in the next', async () => {
    const { model, asked } = modelsThat({ 'one/a': () => usedUp });
    await fleet.startOrchestrator(model, withFallback('two/b'));
    const turn = await fleet.submit('go');
    expect(await fleet.event(turn, 'complete')).toMatchObject({ content: 'I am two/b.', model: 'two/b' });
    const next = await fleet.submit('again', { after: turn });
    await fleet.event(next, 'complete');
    expect(asked).toEqual(['one/a', 'two/b', 'one/a', 'two/b']);
    expect(fleet.of(turn, 'waiting').map(({ reason, retry_after_ms }) => [reason, retry_after_ms])).toEqual([
      ['No credit left. Continuing with two/b.', 0],
    ]);
  });

  it('has its partial text ended as a sentence before the next one is named', async () => {
    const quota = new ModelError('HTTP 402: no quota ', 'used_up', { retryable: false, status: 402 });
    const { model } = modelsThat({ 'one/a': () => quota });
    await fleet.startOrchestrator(model, withFallback('two/b'));
    const turn = await fleet.submit('go');
    await fleet.event(turn, 'complete');
    expect(fleet.of(turn, 'waiting')[0]?.reason).toBe('HTTP 402: no quota. Continuing with two/b.');
  });

  it('fails the turn at once without a fallback', async () => {
    const { model, asked } = modelsThat({ 'one/a': () => usedUp });
    await fleet.startOrchestrator(model, { model: 'one/a' });
    const end = await fleet.event(await fleet.submit('go'), 'error');
    expect(end).toMatchObject({ code: 'model_error', message: 'No credit left.' });
    expect(asked).toEqual(['one/a']);
  });
});

describe('an overloaded model', () => {
  it('is asked once more, and then the next one visibly restarts the step', async () => {
    const { model, asked } = modelsThat({
      'one/a': (_request, times) => (times < 9 ? overloaded() : say('too late')),
    });
    const { metrics } = await fleet.startOrchestrator(model, withFallback('two/b', 'three/c'));
    const turn = await fleet.submit('go');
    expect(await fleet.event(turn, 'complete')).toMatchObject({ content: 'I am two/b.', model: 'two/b' });
    expect(asked).toEqual(['one/a', 'one/a', 'two/b']);
    expect(fleet.of(turn, 'waiting').map(({ reason }) => reason)).toEqual([
      'The model is overloaded.',
      'The model is overloaded. Continuing with two/b.',
    ]);
    const attempts = fleet.of(turn, 'step_restarted').map(({ attempt }) => attempt);
    expect(attempts).toEqual([101, 102]);
    expect(fleet.of(turn, 'step_committed')).toMatchObject([{ step: 1, attempt: 102 }]);
    expect((await metrics.modelFallbacks.get()).values).toMatchObject([
      { labels: { model: 'two/b' }, value: 1 },
    ]);
    expect((await metrics.modelSteps.get()).values).toMatchObject([
      { labels: { model: 'two/b', kind: 'model' }, value: 1 },
    ]);
  });

  it('that asks for a longer pause is replaced without waiting', async () => {
    const { model, asked } = modelsThat({
      'one/a': (_request, times) => (times === 0 ? overloaded(60_000) : say('too late')),
    });
    await fleet.startOrchestrator(model, withFallback('two/b'));
    const turn = await fleet.submit('go');
    expect(await fleet.event(turn, 'complete')).toMatchObject({ content: 'I am two/b.' });
    expect(asked).toEqual(['one/a', 'two/b']);
  });

  it('is not asked again in the turn, and is first again in the next one', async () => {
    const call: ModelPart[] = [
      { type: 'tool_call', name: 'no__tool', arguments: {}, raw: '' },
      { ...end, stop_reason: 'tool_use' },
    ];
    const { model, asked } = modelsThat({
      'one/a': (_request, times) => (times < 2 ? overloaded() : say('back')),
      'two/b': (_request, times) => (times === 0 ? call : say('done')),
    });
    await fleet.startWorker([defineToolset({ name: 'none', version: '1.0.0', tools: [] })]);
    await fleet.startOrchestrator(model, withFallback('two/b'));
    const turn = await fleet.submit('go');
    await fleet.event(turn, 'complete');
    expect(asked).toEqual(['one/a', 'one/a', 'two/b', 'two/b']);
    const next = await fleet.submit('again', { after: turn });
    expect(await fleet.event(next, 'complete')).toMatchObject({ content: 'back', model: 'one/a' });
  });

  it('is retried as usual without a fallback', async () => {
    const { model, asked } = modelsThat({
      'one/a': (_request, times) => (times < 4 ? overloaded() : say('ok')),
    });
    await fleet.startOrchestrator(model, { model: 'one/a' });
    expect(await fleet.event(await fleet.submit('go'), 'complete')).toMatchObject({ content: 'ok' });
    expect(asked).toHaveLength(5);
  });

  it('fails the turn only when every fallback has failed too', async () => {
    const { model, asked } = modelsThat({ 'one/a': () => overloaded(), 'two/b': () => overloaded() });
    await fleet.startOrchestrator(model, {
      ...withFallback('two/b'),
      budgets: { ...DEFAULT_BUDGETS, modelRetries: 2 },
    });
    expect(await fleet.event(await fleet.submit('go'), 'error')).toMatchObject({ code: 'model_error' });
    expect(asked).toEqual(['one/a', 'one/a', 'two/b', 'two/b', 'two/b']);
  });

  it('is replaced even when it breaks off in the middle of a word', async () => {
    const model = scriptedModel(async function* (request) {
      if (request.model !== 'one/a') return yield* say('Whole.');
      yield { type: 'text', text: 'Hal' };
      throw overloaded();
    });
    await fleet.startOrchestrator(model, withFallback('two/b'));
    const turn = await fleet.submit('go');
    expect(await fleet.event(turn, 'complete')).toMatchObject({ content: 'Whole.' });
    expect(fleet.of(turn, 'step_committed')).toMatchObject([{ text_length: 6 }]);
  });
});

describe('an error other than an overload', () => {
  it('fails the turn at once, because another model would refuse too', async () => {
    const { model, asked } = modelsThat({
      'one/a': () => new ModelError('Bad key.', 'auth', { retryable: false }),
    });
    await fleet.startOrchestrator(model, withFallback('two/b'));
    expect(await fleet.event(await fleet.submit('go'), 'error')).toMatchObject({ message: 'Bad key.' });
    expect(asked).toEqual(['one/a']);
  });
});

describe('a model with a used-up shared budget', () => {
  it('is skipped at once, and its budget is unchanged', async () => {
    const { model, asked } = modelsThat({});
    const { metrics } = await fleet.startOrchestrator(model, {
      ...withFallback('two/b'),
      modelBudgets: new Map([['one/a', { requestsPerMinute: 1 }]]),
    });
    await fleet.event(await fleet.submit('first'), 'complete');
    const second = await fleet.submit('second');
    expect(await fleet.event(second, 'complete')).toMatchObject({ model: 'two/b' });
    expect(asked).toEqual(['one/a', 'two/b']);
    expect(fleet.of(second, 'waiting').map(({ reason }) => reason)).toEqual([
      'The request budget of the model is used up right now. Continuing with two/b.',
    ]);
    expect((await metrics.modelWaits.get()).values).toMatchObject([{ labels: { short_of: 'requests' } }]);
  });
});

describe('thinking', () => {
  it('of one provider is never sent to another, and returns to its own', async () => {
    const signed: ModelPart[] = [
      { type: 'thinking', text: 'hm' },
      { type: 'thinking_end', text: 'hm', signature: 'by one' },
      ...say('Thought.'),
    ];
    const { model } = modelsThat({ 'one/a': () => signed });
    await fleet.startOrchestrator(model, { model: 'one/a' });
    let turn = await fleet.submit('first');
    await fleet.event(turn, 'complete');
    for (const name of ['two/b', 'one/z']) {
      turn = await fleet.submit(name, { after: turn, options: { model: name } });
      await fleet.event(turn, 'complete');
    }
    const kinds = model.requests.map(({ messages }) =>
      messages.flatMap(({ role, content }) =>
        role === 'assistant' ? [content.map(({ type }) => type).join()] : [],
      ),
    );
    expect(kinds).toEqual([[], ['text'], ['thinking,text', 'text']]);
  });
});
