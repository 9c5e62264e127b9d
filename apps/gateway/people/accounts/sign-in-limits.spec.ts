import { describe, expect, it } from '@jest/globals';
import { loadStandaloneConfig } from '#bootstrap';
import { SignInLimits } from './sign-in-limits.js';

const { limits } = loadStandaloneConfig({});
const tooMany = (what: string) =>
  expect.objectContaining({ code: 'overloaded', message: `Too many ${what} within a minute.` });

function setUp(now = () => 0) {
  const noted: string[] = [];
  const counts = { share: () => undefined };
  const door = new SignInLimits(limits, { note: (limit) => noted.push(limit) }, counts, { now });
  const attempt = (address: string, account: string, isKnown = false) => {
    const begun = door.begin(address);
    begun.against({ key: account, userId: account, isKnown });
    return begun;
  };
  return { door, noted, attempt };
}

describe('SignInLimits', () => {
  it('allows ten password attempts for one account within a minute, from any address', () => {
    let now = 0;
    const { attempt, noted } = setUp(() => now);
    for (let i = 0; i < 10; i++) attempt(`10.0.0.${i}`, 'ann');
    expect(() => attempt('10.0.0.99', 'ann')).toThrow(tooMany('wrong passwords'));
    expect(noted).toEqual(['wrong_passwords_per_minute']);
    attempt('10.0.0.99', 'bob');
    now = 60_000;
    attempt('10.0.0.99', 'ann');
  });

  it('counts an address with an earlier successful sign-in separately', () => {
    const { attempt } = setUp();
    for (let i = 0; i < 10; i++) attempt(`10.0.0.${i}`, 'ann');
    for (let i = 0; i < 10; i++) attempt('10.0.1.1', 'ann', true);
    expect(() => attempt('10.0.1.1', 'ann', true)).toThrow(tooMany('wrong passwords'));
    attempt('10.0.1.2', 'ann', true);
  });

  it('allows a hundred attempts from one address, for any account', () => {
    const { door, attempt, noted } = setUp();
    for (let i = 0; i < 100; i++) attempt('10.0.0.1', `user ${i}`);
    expect(() => door.begin('10.0.0.1')).toThrow(tooMany('wrong passwords'));
    expect(noted).toEqual(['wrong_passwords_per_address']);
    attempt('10.0.0.2', 'one more');
  });

  it('ignores successful attempts and those refused before their account was known', () => {
    const { door, attempt } = setUp();
    for (let i = 0; i < 300; i++) attempt('10.0.0.1', 'ann').forget();
    for (let i = 0; i < 300; i++) door.begin('10.0.0.1').forget();
    for (let i = 0; i < 10; i++) attempt('10.0.0.1', 'ann');
    expect(() => attempt('10.0.0.1', 'ann')).toThrow();
  });

  it('allows a hundred new accounts from one address', () => {
    const { door, noted } = setUp();
    for (let i = 0; i < 100; i++) door.register('2001:db8::1');
    expect(() => door.register('2001:db8::ffff')).toThrow(tooMany('registrations'));
    expect(noted).toEqual(['registrations_per_address']);
    door.register('2001:db8:0:1::1');
  });
});
