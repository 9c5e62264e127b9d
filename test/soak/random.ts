import { SeededRandom } from '#time/testing';

/** Seeded choices, as the monkey and the people of a soak make them: the same seed makes the same ones. */
export class Random extends SeededRandom {
  /** 0 ≤ … < 1. */
  readonly next = (): number => this.float();

  chance(probability: number): boolean {
    return this.float() < probability;
  }

  between(low: number, high: number): number {
    return low + this.float() * (high - low);
  }

  /** Both ends included. */
  integer(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.choose(list.length)]!;
  }

  override fork(): Random {
    return new Random(Math.floor(this.float() * 2 ** 32));
  }
}
