import { describe, expect, it } from '@jest/globals';
import { BodyBudget } from './body-budget.js';

const MIB = 1024 * 1024;
const noted: string[] = [];
const open = (limits = {}) => {
  noted.length = 0;
  const all = { bodyBytes: 100 * MIB, bodyBytesPerUser: 60 * MIB, largeBodiesPerUser: 2, ...limits };
  return new BodyBudget(all, { note: (limit) => void noted.push(limit) });
};
const refused = (status: number) =>
  expect.objectContaining({ status, code: 'overloaded', retryAfterMs: 2_000 });

describe('BodyBudget', () => {
  it('limits the large bodies of one user, each from its announced length on', () => {
    const budget = open();
    const first = budget.enter('ann', 2 * MIB);
    budget.enter('ann', 2 * MIB);
    expect(() => budget.enter('ann', 2 * MIB)).toThrow(refused(429));
    expect(noted).toEqual(['large_bodies_per_user']);
    budget.enter('bob', 2 * MIB);
    first.release();
    first.release();
    budget.enter('ann', 2 * MIB);
    expect(() => budget.enter('ann', 2 * MIB)).toThrow(refused(429));
  });

  it('counts bodies without an announced length as they arrive', () => {
    const budget = open();
    const [first, second, third] = [1, 2, 3].map(() => budget.enter('ann', 0));
    first!.grow(2 * MIB);
    second!.grow(MIB);
    second!.grow(MIB + 1);
    expect(() => third!.grow(MIB + 1)).toThrow(refused(429));
    third!.grow(MIB);
    expect(budget.held).toBe(4 * MIB + 1);
    for (const held of [first, second, third]) held!.release();
    expect(budget.held).toBe(0);
  });

  it('limits the bytes of one user and of all, and leaves a quarter to small bodies', () => {
    const budget = open();
    budget.enter('ann', 50 * MIB);
    expect(() => budget.enter('ann', 11 * MIB)).toThrow(refused(429));
    expect(() => budget.enter('bob', 26 * MIB)).toThrow(refused(503));
    expect(noted).toEqual(['body_bytes_per_user', 'body_bytes']);
    budget.enter('bob', 25 * MIB);
    const small = Array.from({ length: 25 }, () => budget.enter(undefined, MIB));
    for (const held of small) held.grow(MIB);
    expect(() => budget.enter(undefined, 1)).toThrow(refused(503));
  });

  it('reserves nothing for a body that was announced and never arrives', () => {
    const budget = open();
    for (let count = 0; count < 1_000; count++) budget.enter(undefined, MIB);
    expect(budget.held).toBe(0);
  });

  it('applies no limit per user when users are not distinguished', () => {
    const budget = open();
    for (let count = 0; count < 5; count++) budget.enter(undefined, 2 * MIB);
    expect(noted).toEqual([]);
  });
});
