import { describe, expect, it } from '@jest/globals';
import { turnOptionsSchema } from '#contracts';
import { chatRequestSchema, turnOptionsOf } from './chat-request.js';

const NO = { tools: true, model: undefined, context: undefined };
const options = (body: object, more: Partial<typeof NO> = {}) => {
  const made = turnOptionsOf(chatRequestSchema.parse({ message: 'Hi', ...body }), { ...NO, ...more });
  expect(turnOptionsSchema.parse(made)).toEqual(made);
  return made;
};

describe('turnOptionsOf', () => {
  it('applies the front end’s defaults', () => {
    const defaults = { formatter: true, logs: true, temperature: 0.2, max_output_tokens: 4000 };
    expect(options({})).toEqual(defaults);
    expect(options({ temperature: null, history: null, enabledTools: null })).toEqual(defaults);
  });

  it('clamps numbers to the limits of a turn', () => {
    expect(options({ temperature: 9, maxTokens: 1e9 })).toMatchObject({
      temperature: 2,
      max_output_tokens: 200_000,
    });
    expect(options({ temperature: -1, maxTokens: 0.2 })).toMatchObject({
      temperature: 0,
      max_output_tokens: 1,
    });
  });

  it('blocks servers, limits others to some of their tools, and offers none with tools switched off', () => {
    const body = { blockedServers: ['x', 'x', 'nobody'], enabledTools: { y: ['a'], z: [] } };
    expect(options(body).tools).toEqual({
      only: [
        { server: 'x', tools: [] },
        { server: 'nobody', tools: [] },
        { server: 'y', tools: ['a'] },
        { server: 'z', tools: [] },
      ],
    });
    expect(options(body, { tools: false }).tools).toEqual({ allow: [] });
  });

  it('refuses more names than a turn keeps, and never drops one that narrows the tools', () => {
    const names = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => prefix + i);
    const enabled = (count: number) =>
      Object.fromEntries(names(count, 's').map((name) => [name, [] as string[]]));
    const most = { blockedServers: names(499, 'b'), enabledTools: { y: ['a'] } };
    expect(options(most).tools?.only?.at(-1)).toEqual({ server: 'y', tools: ['a'] });
    const parse = (body: object) => chatRequestSchema.safeParse({ message: 'x', ...body }).success;
    expect(parse({ blockedServers: names(300, 'b'), enabledTools: enabled(300) })).toBe(false);
    const many = Object.fromEntries(names(11, 's').map((name) => [name, names(1_000, 't')]));
    expect(parse({ enabledTools: many })).toBe(false);
  });

  it('names a variable for each file: the given one, or the file name up to the first dot', () => {
    const attachments = [
      { id: '1', name: 'sales.2024.csv', size: 1, type: 'text/csv' },
      { id: '2', name: 'b.csv', size: 1, type: 'text/csv', varName: 'mine' },
      { id: '3', name: '.env', size: 1, type: 'text/plain' },
    ];
    expect(options({ attachments }).data_files).toEqual([
      { name: 'sales', file: 'sales.2024.csv' },
      { name: 'mine', file: 'b.csv' },
      { name: '.env', file: '.env' },
    ]);
  });
});

it.each([
  {},
  { message: ' ' },
  { message: 5 },
  { message: 'x', blockedServers: 'x' },
  { message: 'x', history: 'x' },
])('refuses the request %j', (body) => {
  expect(chatRequestSchema.safeParse(body).success).toBe(false);
});
