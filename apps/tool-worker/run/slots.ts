/** A place among those that run. */
export interface Slot {
  /** Gives it to the next one in line for as long as nothing runs here. */
  lend(): void;
  /** Resolves when it is this one's turn again. */
  takeBack(): Promise<void>;
}

/** At most `size` at once; the others wait in order. */
export class Slots {
  private used = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly size: number) {}

  async use<T>(work: (slot: Slot) => Promise<T>): Promise<T> {
    await this.take();
    let isLent = false;
    let isOver = false;
    const slot: Slot = {
      lend: () => {
        if (!isLent) this.release();
        isLent = true;
      },
      takeBack: async () => {
        if (!isLent) return;
        await this.take();
        // Whoever stops waiting for it must not keep it.
        if (isOver) this.release();
        else isLent = false;
      },
    };
    try {
      return await work(slot);
    } finally {
      isOver = true;
      slot.lend();
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
