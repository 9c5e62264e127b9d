import type { Clock } from '#time';

/** What travels one way in order, each piece for as long as `delayMs` says. */
export class Line {
  private readonly waiting: (() => void)[] = [];
  private lastDueAt = 0;

  constructor(
    private readonly clock: Pick<Clock, 'now' | 'after'>,
    private readonly delayMs: () => number = () => 0,
  ) {}

  get length(): number {
    return this.waiting.length;
  }

  push(arrive: () => void): void {
    const now = this.clock.now();
    this.lastDueAt = Math.max(this.lastDueAt, now + this.delayMs());
    this.waiting.push(arrive);
    this.clock.after(this.lastDueAt - now, () => this.waiting.shift()?.());
  }

  /** What has not arrived never does. */
  cut(): void {
    this.waiting.length = 0;
  }
}
