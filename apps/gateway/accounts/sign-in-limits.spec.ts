import { describe, expect, it } from '@jest/globals';
import { loadStandaloneConfig } from '#bootstrap';
import { SignInLimits } from './sign-in-limits.js';

const { limits } = loadStandaloneConfig({});
const tooMany = (what: string) =>
  expect.objectContaining({ code: 'overloaded', message: `Too many ${what} within a minute.` });

describe('SignInLimits', () => {
  it('lets ten passwords be tried for one account within a minute, from wherever', () => {
    let now = 0;
    const door = new SignInLimits(limits, () => now);
    for (let i = 0; i < 10; i++) door.begin(`10.0.0.${i}`, 'ann');
    expect(() => door.begin('10.0.0.99', 'ann')).toThrow(tooMany('wrong passwords'));
    door.begin('10.0.0.99', 'bob');
    now = 60_000;
    door.begin('10.0.0.99', 'ann');
  });

  it('lets a hundred be tried from one address, for whomever', () => {
    const door = new SignInLimits(limits);
    for (let i = 0; i < 100; i++) door.begin('10.0.0.1', `user ${i}`);
    expect(() => door.begin('10.0.0.1', 'one more')).toThrow(tooMany('wrong passwords'));
    door.begin('10.0.0.2', 'one more');
  });

  it('does not count what was right', () => {
    const door = new SignInLimits(limits);
    for (let i = 0; i < 300; i++) door.begin('10.0.0.1', 'ann').forget();
    for (let i = 0; i < 10; i++) door.begin('10.0.0.1', 'ann');
    expect(() => door.begin('10.0.0.1', 'ann')).toThrow();
  });

  it('lets a hundred accounts be made from one address', () => {
    const door = new SignInLimits(limits);
    for (let i = 0; i < 100; i++) door.register('2001:db8::1');
    expect(() => door.register('2001:db8::ffff')).toThrow(tooMany('registrations'));
    door.register('2001:db8:0:1::1');
  });
});
