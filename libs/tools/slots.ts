/** One of the slots for running work. */
export interface Slot {
  /** Lends the slot to the next work in line, until `takeBack` has been called as often as `lend`. */
  lend(): void;
  /** Resolves when this work has a slot again. */
  takeBack(): Promise<void>;
}

/** Runs at most `size` at once; the others wait in order. */
export class Slots {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(readonly size: number) {}

  /** The number of slots in use. */
  get used(): number {
    return this.taken;
  }

  /** Rejects with the signal's reason when it aborts during a wait, for the first slot or for a lent one. */
  async use<T>(work: (slot: Slot) => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.take(signal);
    const held = new HeldSlot(
      () => this.take(signal),
      () => this.release(),
    );
    try {
      return await work(held);
    } finally {
      held.end();
    }
  }

  private async take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.taken < this.size) {
      this.taken++;
      return;
    }
    // The slot is handed over, not counted down and up again.
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        reject(signal?.reason as Error);
      };
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.waiting.push(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  private release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.taken--;
  }
}

class HeldSlot implements Slot {
  private loans = 0;
  private isHeld = true;
  private isOver = false;

  constructor(
    private readonly take: () => Promise<void>,
    private readonly release: () => void,
  ) {}

  lend(): void {
    this.loans++;
    this.handToNext();
  }

  async takeBack(): Promise<void> {
    this.loans--;
    if (this.loans > 0 || this.isHeld) return;
    await this.take();
    // Work that stopped waiting, or has lent its slot again, must not keep the slot.
    if (this.isOver || this.isHeld || this.loans > 0) this.release();
    else this.isHeld = true;
  }

  end(): void {
    this.isOver = true;
    this.handToNext();
  }

  private handToNext(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.release();
  }
}
