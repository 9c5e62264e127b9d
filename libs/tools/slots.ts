/** At most `size` at once; the others wait in order. */
export class Slots {
  private used = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly size: number) {}

  /** Rejects with the signal's reason, without having begun the work, when it is aborted while waiting. */
  async use<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.take(signal);
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  private async take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.used < this.size) {
      this.used++;
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
    else this.used--;
  }
}
