import { describe, expect, it } from '@jest/globals';
import type { ConversationEvent, Snapshot } from '#contracts';
import { noThoughts, reduceThoughts, type Thought, type Thoughts } from './thoughts.js';

type AnyEvent = ConversationEvent | Snapshot;

const BEGAN = Date.parse('2026-11-22T10:00:00.000Z');

const event = (type: AnyEvent['type'], fields: object = {}) =>
  ({
    type,
    conversation_id: 'c',
    turn_id: 't',
    timestamp: new Date(BEGAN).toISOString(),
    step: 1,
    attempt: 100,
    ...fields,
  }) as AnyEvent;
const thinking = (content: string, offset: number, fields: object = {}) =>
  event('thinking', { content, offset, ...fields });
const token = (fields: object = {}) => event('token', { content: 'a', offset: 0, ...fields });

const heard = (...events: AnyEvent[]): Thoughts => events.reduce(reduceThoughts, noThoughts);
const thoughtOf = (thoughts: Thoughts): Thought | undefined => thoughts.t?.[1];

describe('the visible thinking of the model', () => {
  it('grows, and drops overlapping parts', () => {
    const thoughts = heard(thinking('First ', 0), thinking('st I', 3), thinking(' add.', 7));
    expect(thoughtOf(thoughts)).toMatchObject({ text: 'First I add.', end: 12, isOver: false });
  });

  it('has the time when it began, and when it last grew or was replaced by text', () => {
    const at = (seconds: number) => ({ timestamp: new Date(BEGAN + seconds * 1_000).toISOString() });
    const two = heard(thinking('a', 0), thinking('b', 1, at(3)));
    expect(thoughtOf(two)).toMatchObject({ beganAt: BEGAN, lastAt: BEGAN + 3_000 });
    const spoken = [token(at(4)), token({ offset: 1, ...at(5) })].reduce(reduceThoughts, two);
    expect(thoughtOf(spoken)).toMatchObject({ beganAt: BEGAN, lastAt: BEGAN + 4_000 });
  });

  it('marks gaps, and then has no start time', () => {
    expect(thoughtOf(heard(thinking('then', 40), thinking('so', 60)))).toMatchObject({
      text: '… then … so',
      beganAt: undefined,
    });
  });

  it('ends with the first text of its step, and continues when the model thinks again', () => {
    const spoken = heard(thinking('a', 0), token());
    expect(thoughtOf(spoken)?.isOver).toBe(true);
    expect(thoughtOf(reduceThoughts(spoken, thinking('b', 1)))).toMatchObject({ text: 'ab', isOver: false });
  });

  it.each([
    event('step_restarted', { attempt: 101 }),
    event('step_started', { attempt: 200 }),
    token({ attempt: 101 }),
  ])('is dropped when its step starts again: $type', (restart) => {
    expect(thoughtOf(heard(thinking('a', 0), restart))).toBeUndefined();
  });

  it('restarts with a higher attempt, and ignores a lower one', () => {
    const anew = heard(thinking('old', 0), thinking('new', 0, { attempt: 101 }));
    expect(thoughtOf(reduceThoughts(anew, thinking(' and old', 3)))?.text).toBe('new');
  });

  it('survives only a snapshot with its attempt or without its turn', () => {
    const one = heard(thinking('a', 0));
    const snapshot = (turns: object[]) => event('snapshot', { view: { turns } });
    expect(reduceThoughts(one, snapshot([{ turn_id: 't', steps: [{ n: 1, attempt: 100 }] }]))).toBe(one);
    expect(reduceThoughts(one, snapshot([]))).toBe(one);
    const other = reduceThoughts(one, snapshot([{ turn_id: 't', steps: [{ n: 1, attempt: 101 }] }]));
    expect(thoughtOf(other)).toBeUndefined();
  });

  it('stays the same object while nothing changes, so that nothing is rendered', () => {
    const one = heard(thinking('a', 0), token());
    for (const next of [token({ offset: 1 }), thinking('a', 0), event('step_committed'), event('complete')])
      expect(reduceThoughts(one, next)).toBe(one);
  });
});
