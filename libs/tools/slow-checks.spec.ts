import { Worker } from 'node:worker_threads';
import { afterEach, expect, it, jest } from '@jest/globals';
import { Checker } from './checker.js';
import { SlowChecks, type SlowCheckOptions } from './slow-checks.js';

const made: SlowChecks[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(made.splice(0).map((checks) => checks.stop()));
});

function create(options: SlowCheckOptions = {}): SlowChecks {
  const checks = new SlowChecks({ limitMs: 200, ...options });
  made.push(checks);
  return checks;
}

const schema = JSON.stringify({ properties: { x: { type: 'string', pattern: '^(a+)+$' } } });
const request = (x: string) => ({ schema, dialect: '', args: JSON.stringify({ x }) });
const fits = request('aaa');
const hangs = request(`${'a'.repeat(60)}!`);

it('checks, also after a check that was stopped', async () => {
  const checks = create();
  expect(await checks.check('ann', fits)).toEqual({ error: undefined });
  expect(await checks.check('ann', request('b'))).toMatchObject({ error: { error_type: 'ValidationError' } });
  expect(await checks.check('ann', hangs)).toBe('too_slow');
  expect(await checks.check('ann', fits)).toEqual({ error: undefined });
});

it('has memory for the most values that arguments of a message can have', async () => {
  const checks = create({ limitMs: 30_000 });
  const many = { ...fits, args: `{"x":[${'{},'.repeat(350_000)}{}]}` };
  expect(await checks.check('ann', many)).toMatchObject({ error: { error_type: 'ValidationError' } });
});

// Not by using up its memory: on Node.js 20 that may end the whole process.
it('says when a thread died under a check, and starts another one for the next', async () => {
  const checks = create({ limitMs: 30_000 });
  jest.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
    void this.terminate();
  });
  expect(await checks.check('ann', fits)).toBe('died');
  expect(await checks.check('ann', fits)).toEqual({ error: undefined });
});

it('keeps a thread for users none of whose checks was stopped: others never wait for those', async () => {
  const checks = create();
  const ended: string[] = [];
  const check = async (userId: string, what: typeof fits) => {
    await checks.check(userId, what);
    ended.push(userId);
  };
  await Promise.all(['m1', 'm2', 'm3'].map((userId) => check(userId, hangs)));
  ended.length = 0;
  const hostile = ['m1', 'm2', 'm3'].flatMap((userId) => [check(userId, hangs), check(userId, hangs)]);
  await Promise.all([check('ann', fits), check('bob', fits)]);
  // At most the one check that was stopped meanwhile.
  expect(ended.filter((userId) => userId.startsWith('m')).length).toBeLessThanOrEqual(1);
  await Promise.all(hostile);
});

it('gives users turns: one who waits is served before the third check of another', async () => {
  const checks = create({ limitMs: 30_000 });
  const started: string[] = [];
  const original = Checker.prototype.check;
  jest.spyOn(Checker.prototype, 'check').mockImplementation(function (this: Checker, what, limitMs) {
    started.push((JSON.parse(what.args) as { x: string }).x);
    return original.call(this, what, limitMs);
  });
  const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'];
  await Promise.all(names.map((name) => checks.check(name[0]!, request(name))));
  // Starts, not ends: which of two threads is ready first is up to the machine.
  expect(started.slice().sort()).toEqual(names);
  expect(started.indexOf('c1')).toBeLessThan(started.indexOf('a3'));
});

it('refuses what one user has too much of, and what has waited too long', async () => {
  const full = create({ maxWaiting: 2 });
  const ends = await Promise.all([hangs, fits, fits, fits].map((what) => full.check('ann', what)));
  expect(ends).toEqual(['too_slow', { error: undefined }, { error: undefined }, 'too_many']);
  const impatient = create({ limitMs: 600, waitMs: 100 });
  const late = [hangs, fits].map((what) => impatient.check('ann', what));
  expect(await Promise.all(late)).toEqual(['too_slow', 'too_many']);
});

it('trusts a user again after a minute', async () => {
  const clock = { now: 0 };
  const checks = create({ now: () => clock.now });
  await checks.check('m1', hangs);
  clock.now = 60_000;
  const first = checks.check('m2', hangs);
  expect(await checks.check('m1', fits)).toEqual({ error: undefined });
  await first;
});
