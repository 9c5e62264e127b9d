import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SystemClock } from '#time';
import { SeededRandom, VirtualClock } from '#time/testing';
import { Checker } from './checker.js';
import { describeSlowChecksContract } from './testing/slow-checks-contract.js';
import { ThreadedChecks, type ThreadedCheckOptions } from './threaded-checks.js';

const made: ThreadedChecks[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(made.splice(0).map((checks) => checks.stop()));
});

function create(options: Partial<ThreadedCheckOptions> = {}): ThreadedChecks {
  const clock = new SystemClock();
  const checks = new ThreadedChecks({ clock, limitMs: LONG_MS, waitMs: LONG_MS, ...options });
  made.push(checks);
  return checks;
}

/** Longer than a thread takes to start and to compile, on any machine. */
const LONG_MS = 60_000;
const realCheck = Checker.prototype.check;
/** Checks that hang are stopped soon; no other is judged by how fast this machine is. */
function stopHangingAfter(shortMs: number): void {
  jest.spyOn(Checker.prototype, 'check').mockImplementation(function (this: Checker, what, limitMs) {
    return realCheck.call(this, what, what === hangs ? shortMs : limitMs);
  });
}

/** Checks that hang do so until the test stops them. */
function holdHanging(how: 'too_slow' | 'died' = 'too_slow'): { stopAll(): void; isOver: boolean } {
  const stops: (() => void)[] = [];
  const held = { stopAll: () => stops.splice(0).forEach((stop) => stop()), isOver: false };
  jest.spyOn(Checker.prototype, 'check').mockImplementation(function (this: Checker, what, limitMs) {
    if (what !== hangs) return realCheck.call(this, what, limitMs);
    if (held.isOver) return Promise.resolve(how);
    return new Promise((resolve) => stops.push(() => resolve(how)));
  });
  return held;
}

const schema = JSON.stringify({ properties: { x: { type: 'string', pattern: '^(a+)+$' } } });
const request = (x: string) => ({ schema, dialect: '', args: JSON.stringify({ x }) });
const fits = request('aaa');
const hangs = request(`${'a'.repeat(60)}!`);

describe('checks on threads', () => {
  describeSlowChecksContract(() => {
    const clock = new SystemClock();
    const checks = new ThreadedChecks({ clock, limitMs: LONG_MS, waitMs: LONG_MS });
    return { checks, stop: () => checks.stop() };
  });
});

it('threaded checks work, even after a check that was stopped', async () => {
  stopHangingAfter(200);
  const checks = create();
  expect(await checks.check('ann', fits)).toEqual({ error: undefined });
  expect(await checks.check('ann', request('b'))).toMatchObject({ error: { error_type: 'ValidationError' } });
  expect(await checks.check('ann', hangs)).toBe('too_slow');
  expect(await checks.check('ann', fits)).toEqual({ error: undefined });
});

it('threaded checks have memory for the maximum number of values in a message', async () => {
  const checks = create();
  const many = { ...fits, args: `{"x":[${'{},'.repeat(350_000)}{}]}` };
  expect(await checks.check('ann', many)).toMatchObject({ error: { error_type: 'ValidationError' } });
});

// Not by using up its memory: on Node.js 20 that may end the whole process.
it('threaded checks report a thread that died under a check, and start another one for the next', async () => {
  const checks = create();
  jest.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
    void this.terminate();
  });
  expect(await checks.check('ann', fits)).toBe('died');
  expect(await checks.check('ann', fits)).toEqual({ error: undefined });
});

it.each(['too_slow', 'died'] as const)(
  'threaded checks keep a thread for users none of whose checks was %s',
  async (how) => {
    const held = holdHanging(how);
    const checks = create();
    const hostile = ['m1', 'm2', 'm3'];
    held.isOver = true;
    await Promise.all(hostile.map((userId) => checks.check(userId, hangs)));
    held.isOver = false;
    const ended: string[] = [];
    const again = hostile.map((userId) => checks.check(userId, hangs).then(() => ended.push(userId)));
    for (const userId of ['ann', 'bob'])
      expect(await checks.check(userId, fits)).toEqual({ error: undefined });
    expect(ended).toEqual([]);
    held.isOver = true;
    held.stopAll();
    await Promise.all(again);
  },
);

it('threaded checks serve users in turn: a waiting one comes before the third check of another', async () => {
  const checks = create();
  const started: string[] = [];
  jest.spyOn(Checker.prototype, 'check').mockImplementation(function (this: Checker, what, limitMs) {
    started.push((JSON.parse(what.args) as { x: string }).x);
    return realCheck.call(this, what, limitMs);
  });
  const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'];
  await Promise.all(names.map((name) => checks.check(name[0]!, request(name))));
  // Starts, not ends: which of two threads is ready first is up to the machine.
  expect(started.slice().sort()).toEqual(names);
  expect(started.indexOf('c1')).toBeLessThan(started.indexOf('a3'));
});

it('threaded checks refuse a user above the limit, and checks that have waited too long', async () => {
  stopHangingAfter(600);
  const full = create({ maxWaiting: 2 });
  const ends = await Promise.all([hangs, fits, fits, fits].map((what) => full.check('ann', what)));
  expect(ends).toEqual(['too_slow', { error: undefined }, { error: undefined }, 'too_many']);
  const impatient = create({ waitMs: 100 });
  const late = [hangs, fits].map((what) => impatient.check('ann', what));
  expect(await Promise.all(late)).toEqual(['too_slow', 'too_many']);
});

it('threaded checks trust a user again after a minute', async () => {
  const held = holdHanging();
  const clock = new VirtualClock(new SeededRandom(1));
  const checks = create({ clock, waitMs: Infinity });
  const stopped = checks.check('m1', hangs);
  held.stopAll();
  await stopped;
  const other = checks.check('m2', hangs);
  const ended: string[] = [];
  const suspect = checks.check('m1', fits).then(() => ended.push('m1'));
  // On the thread that is left to users without a stopped check.
  await checks.check('ann', fits);
  expect(ended).toEqual([]);
  await clock.advance(60_000);
  await checks.check('ann', fits);
  await suspect;
  expect(ended).toEqual(['m1']);
  held.stopAll();
  await other;
});
