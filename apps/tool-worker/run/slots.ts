/** At most `size` at once; the others wait in order. */
export class Slots {
  private used = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly size: number) {}

  async use<T>(work: () => Promise<T>): Promise<T> {
    await this.take();
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  private async take(): Promise<void> {
    if (this.used < this.size) {
      this.used++;
      return;
    }
    // The slot is handed over, not counted down and up again.
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.used--;
  }
}
