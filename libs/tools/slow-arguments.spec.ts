import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SystemClock } from '#time';
import { Checker } from './checker.js';
import { ThreadedChecks } from './threaded-checks.js';
import { ArgumentValidator } from './validate-arguments.js';

describe('arguments that are slow to check', () => {
  const email =
    '^([a-zA-Z0-9])(([-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$';
  const schema = { type: 'object', properties: { to: { type: 'string', pattern: email } } };
  const slow = { to: `${'a'.repeat(60)}!` };
  const mallory = { user_id: 'mallory', tool_name: 'mail.send' };
  const refusals = { note: jest.fn() };
  const slowChecks = new ThreadedChecks({ clock: new SystemClock(), limitMs: 100 });
  const strict = new ArgumentValidator({ refusals, slowChecks });
  const realCheck = Checker.prototype.check;
  /**
   * Only long arguments hang, and are judged by the short limit: a new thread may take longer to compile the schema.
   */
  const LONG = 40;
  beforeEach(() => {
    jest.spyOn(Checker.prototype, 'check').mockImplementation(function (this: Checker, what, limitMs) {
      return realCheck.call(this, what, what.args.length < LONG ? 60_000 : limitMs);
    });
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => slowChecks.stop());

  it('are refused alone: their schema stays in use, and operators are notified each time', async () => {
    for (let call = 0; call < 4; call++) {
      expect(await strict.validate(schema, slow, mallory)).toEqual({
        error_type: 'ValidationError',
        error_message: 'The arguments take more than 100 ms to check. Send shorter or simpler values.',
        error_details: expect.objectContaining({ parameter: 'arguments', provided_value: null }),
      });
    }
    expect(await strict.validate(schema, { to: 'ann@example.org' }, mallory)).toBeUndefined();
    expect(await strict.validate(schema, { to: 'ann' }, { ...mallory, user_id: 'ann' })).toMatchObject({
      error_details: { parameter: 'to' },
    });
    expect(refusals.note.mock.calls).toEqual(Array(4).fill(['slow_arguments', mallory]));
  });

  it('never block the event loop', async () => {
    let turns = 0;
    const counting = new SystemClock().every(5, () => turns++);
    await strict.validate(schema, slow, mallory);
    counting.cancel();
    expect(turns).toBeGreaterThan(2);
  });

  it('are not checked synchronously when the schema does not bound the work', async () => {
    const many = { ids: Array.from({ length: 30_000 }, (_, id) => ({ id })) };
    const unique = { properties: { ids: { type: 'array', uniqueItems: true } } };
    const alternatives = Array.from({ length: 30 }, (_, n) => ({ const: `value ${n}` }));
    const choice = { properties: { list: { type: 'array', items: { anyOf: alternatives } } } };
    const list = Array.from({ length: 100_000 }, () => 'value 29');
    const checks = [];
    for (const [costly, args] of [
      [unique, many],
      [choice, { list }],
      [schema, { to: 'a' }],
    ] as const)
      checks.push(strict.validate(costly, args));
    for (const check of checks) expect(check).toBeInstanceOf(Promise);
    expect(strict.validate(choice, { list: list.slice(0, 1_000) })).toBeUndefined();
    await Promise.all(checks);
  });
});
