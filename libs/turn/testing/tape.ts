/**
 * The choices that a test was given: a walk that they drive shrinks with them. Past its end every choice is the first.
 */
export class Tape {
  private at = 0;

  constructor(private readonly numbers: readonly number[]) {}

  get isOver(): boolean {
    return this.at >= this.numbers.length;
  }

  /** 0 … `count` - 1. */
  choose(count: number): number {
    const number = this.numbers[this.at++] ?? 0;
    return count > 1 ? number % count : 0;
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[this.choose(list.length)];
  }

  /** True once in `count` times. */
  oneIn(count: number): boolean {
    return this.choose(count) === count - 1;
  }
}
