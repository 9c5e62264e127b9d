import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { describeIssues } from './describe-issues.js';

const schema = z.object({
  name: z.string().min(3).max(5),
  email: z.email(),
  count: z.int().min(1).max(9),
  on: z.boolean(),
  list: z.array(z.string()).min(1),
  content: z.string().refine((text) => text !== 'no', { error: 'must not be no' }),
});
const GOOD = { name: 'anna', email: 'a@example.org', count: 1, on: true, list: ['x'], content: 'yes' };

function problemsOf(change: object): string {
  return describeIssues(schema.safeParse({ ...GOOD, ...change }).error!);
}

describe('the description of an invalid request', () => {
  const cases: [string, object, string][] = [
    ['a field that is missing', { name: undefined }, 'name: is required'],
    ['a field of another type', { name: 5 }, 'name: must be a string'],
    ['a list of another type', { list: 'x' }, 'list: must be an array'],
    ['a flag of another type', { on: 'yes' }, 'on: must be true or false'],
    ['a text that is too short', { name: 'a' }, 'name: must have at least 3 characters'],
    ['a text that is too long', { name: 'abcdef' }, 'name: must have at most 5 characters'],
    ['a list that is too short', { list: [] }, 'list: must have at least 1 item'],
    ['a number that is too small', { count: 0 }, 'count: must be at least 1'],
    ['a number that is too large', { count: 10 }, 'count: must be at most 9'],
    ['a number that is not whole', { count: 1.5 }, 'count: must be a whole number'],
    ['an invalid address', { email: 'ann' }, 'email: must be an email address'],
    ['a rule with its own message', { content: 'no' }, 'content: must not be no'],
    [
      'an item of a list, and more than one problem',
      { name: 5, list: ['x', 7] },
      'name: must be a string; list.1: must be a string',
    ],
  ];
  it.each(cases)('says how to fix %s', (_, change, words) => {
    expect(problemsOf(change)).toBe(words);
  });

  it('names the body itself without a path, and at most three problems', () => {
    expect(describeIssues(schema.safeParse('x').error!)).toBe('must be an object');
    expect(problemsOf({ name: 1, email: 1, count: 'x', on: 1 }).split('; ')).toHaveLength(3);
  });
});
