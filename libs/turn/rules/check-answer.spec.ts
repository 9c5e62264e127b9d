import { describe, expect, it } from '@jest/globals';
import { questionSchemaSchema } from '#contracts';
import { checkAnswer, choicesOf } from './check-answer.js';

const titled = [
  { const: 'a', title: 'Ann' },
  { const: 'b', title: 'Ben' },
];
const schema = questionSchemaSchema.parse({
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 2, maxLength: 3 },
    email: { type: 'string', format: 'email' },
    link: { type: 'string', format: 'uri' },
    day: { type: 'string', format: 'date' },
    moment: { type: 'string', format: 'date-time' },
    number: { type: 'number', minimum: 0, maximum: 1 },
    whole: { type: 'integer' },
    yes: { type: 'boolean' },
    one: { type: 'string', enum: ['a', 'b'] },
    person: { type: 'string', oneOf: titled },
    old: { type: 'string', enum: ['a', 'b'], enumNames: ['Ann'] },
    many: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 },
    people: { type: 'array', items: { anyOf: titled } },
  },
});

describe('checkAnswer', () => {
  it.each<[string, unknown[], unknown[]]>([
    ['text', ['ab', '😀😀😀'], ['a', 'abcd', 7, '😀']],
    ['email', ['a@b.example', 'a@localhost'], ['a', '@b', 'a b@c', 'a@b..c']],
    ['link', ['https://example.com/a', 'mailto:a@b'], ['example.com', 'https://a b', '']],
    ['day', ['2026-02-28'], ['2026-02-30', '28.2.2026', '2026-2-1']],
    [
      'moment',
      ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.5+01:00'],
      ['2026-01-31', '2026-01-31T25:00:00Z'],
    ],
    ['number', [0, 0.5, 1], [-0.1, 1.1, NaN, '1']],
    ['whole', [3, -1], [0.5, '3']],
    ['yes', [true, false], ['true', 1]],
    ['one', ['a'], ['c', ['a']]],
    ['person', ['b'], ['Ben']],
    ['old', ['b'], ['Ann']],
    ['many', [['a'], ['c', 'a']], [[], ['a', 'b', 'c'], ['a', 'a'], ['x'], 'a']],
    ['people', [[], ['a', 'b']], [['Ann']]],
  ])('of %s accepts only matching values', (field, fitting, others) => {
    for (const value of fitting) expect(checkAnswer(schema, { [field]: value })).toEqual([]);
    for (const value of others) expect(checkAnswer(schema, { [field]: value })).toMatchObject([{ field }]);
  });

  it('names every problem: missing, unexpected and invalid values', () => {
    const asked = { ...schema, required: ['text', 'yes'] };
    expect(checkAnswer(asked, { text: 'a', more: 1, ['__proto__']: 1 })).toEqual([
      { field: 'more', problem: 'is not a field of this question' },
      { field: '__proto__', problem: 'is not a field of this question' },
      { field: 'text', problem: 'must have at least 2 characters' },
      { field: 'yes', problem: 'is required' },
    ]);
  });
});

describe('choicesOf', () => {
  it('titles each choice, regardless of the form of its schema', () => {
    const { one, person, old, people, text } = schema.properties;
    expect(choicesOf(one!)).toEqual([
      { value: 'a', title: 'a' },
      { value: 'b', title: 'b' },
    ]);
    const named = [
      { value: 'a', title: 'Ann' },
      { value: 'b', title: 'Ben' },
    ];
    expect(choicesOf(person!)).toEqual(named);
    expect(choicesOf(people!)).toEqual(named);
    expect(choicesOf(old!)).toEqual([named[0], { value: 'b', title: 'b' }]);
    expect(choicesOf(text!)).toBeUndefined();
  });
});

describe('the schema of a question', () => {
  it('keeps what a form shows, drops a pattern, and refuses nested schemas', () => {
    const parsed = questionSchemaSchema.parse({
      type: 'object',
      properties: { a: { type: 'string', title: 'A', pattern: '^(a+)+$' } },
      additionalProperties: false,
    });
    expect(parsed).toEqual({ type: 'object', properties: { a: { type: 'string', title: 'A' } } });
    const nested = { type: 'object', properties: { a: { type: 'array', items: { type: 'object' } } } };
    expect(questionSchemaSchema.safeParse(nested).success).toBe(false);
  });
});
