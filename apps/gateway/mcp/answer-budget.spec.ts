import { describe, expect, it } from '@jest/globals';
import { AnswerBudget } from './answer-budget.js';

const MIB = 1024 * 1024;

describe('AnswerBudget', () => {
  it('reads one answer at a time, and none after 16 MiB', async () => {
    const budget = new AnswerBudget();
    const read: number[] = [];
    let atOnce = 0;
    const answers = await Promise.allSettled(
      [1, 2, 3, 4, 5].map((number) =>
        budget.read(
          async () => {
            expect(++atOnce).toBe(1);
            await new Promise(setImmediate);
            atOnce--;
            read.push(number);
            return number;
          },
          () => 8 * MIB,
        ),
      ),
    );
    expect(read).toEqual([1, 2]);
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
  });

  it('continues after a failed read', async () => {
    const budget = new AnswerBudget();
    const failing = budget.read(
      () => Promise.reject(new Error('gone')),
      () => 0,
    );
    await expect(failing).rejects.toThrow('gone');
    expect(
      await budget.read(
        () => 'next',
        () => 0,
      ),
    ).toBe('next');
  });

  it('accepts an answer that still fits', () => {
    const budget = new AnswerBudget();
    expect([15, 2, 1, 1].map((size) => budget.reserve(size * MIB))).toEqual([true, false, true, false]);
  });
});
