import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SlowChecks } from '../slow-checks.port.js';

const schema = JSON.stringify({ properties: { x: { type: 'string', pattern: '^a+$' } }, required: ['x'] });
const request = (args: string, ofSchema = schema) => ({ schema: ofSchema, dialect: '', args });

/** The promises of all checks about requests that stay within their limit. */
export function describeSlowChecksContract(
  create: () => { checks: SlowChecks; stop?: () => Promise<void> },
): void {
  let made: ReturnType<typeof create>;
  beforeAll(() => {
    made = create();
  });
  afterAll(() => made.stop?.());
  const check = (args: string, ofSchema?: string) => made.checks.check('ann', request(args, ofSchema));

  it('accepts valid arguments, and describes what is wrong with others', async () => {
    expect(await check('{"x":"aaa"}')).toEqual({ error: undefined });
    expect(await check('{"x":"b"}')).toMatchObject({
      error: { error_type: 'ValidationError', error_details: { parameter: 'x', provided_value: 'b' } },
    });
    expect(await check('{"x":"a"}')).toEqual({ error: undefined });
  });

  it('reports that it cannot check, and checks the next one', async () => {
    expect(await check('{"x":')).toBe('failed');
    expect(await check('{}', '{"type":"nothing"}')).toBe('failed');
    expect(await check('{}')).toMatchObject({ error: { error_details: { parameter: 'x' } } });
  });

  it('checks requests of one user and of several at the same time', async () => {
    const users = ['ann', 'bob', 'ann', 'cid', 'bob'];
    const ends = users.map((user, n) => made.checks.check(user, request(`{"x":"${'a'.repeat(n)}"}`)));
    expect((await Promise.all(ends)).map((end) => typeof end === 'object' && !end.error)).toEqual([
      ...[false, true, true, true, true],
    ]);
  });
}
