import { describe, expect, it } from '@jest/globals';
import { parseOptions } from './options.js';

const parse = (...args: string[]) => parseOptions(args, () => 7);

describe('parseOptions', () => {
  it('reads every option, in human units', () => {
    const options = parse(
      '--minutes',
      '30',
      '--kill-every',
      '500ms',
      '--seed',
      '3',
      '--twice',
      '--drop',
      '10',
    );
    expect(options).toMatchObject({ minutes: 30, killEveryMs: 500, seed: 3, twice: true, drop: 10 });
  });

  it('runs for five minutes with a random seed by default', () => {
    expect(parse()).toMatchObject({ minutes: 5, killEveryMs: 3_000, seed: 7, twice: false, drop: 0 });
  });

  it.each([['--minute', '5'], ['--minutes'], ['--minutes', '0'], ['--kill-every', '3'], ['--drop', '100']])(
    'refuses %s %s',
    (...args) => expect(() => parse(...args)).toThrow('npm run soak'),
  );
});
