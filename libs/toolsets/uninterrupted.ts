const FREE = 0;
const TAKEN = 1;

/**
 * A lock shared by a thread and the thread that started it. The thread holds the lock while it is inside SQLite: Node
 * ends a thread at any statement, even in the middle of native code, and the binding then ends the whole process with
 * SIGABRT (a panic in `neon`, built with `panic = "abort"`).
 */
export class Uninterrupted {
  private readonly cell: Int32Array;

  /** @param memory the other thread's `memory`; without it, the lock has its own */
  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.cell = new Int32Array(memory);
  }

  /** Runs `act` under the lock and returns its result. Not reentrant. */
  hold<T>(act: () => T): T {
    this.take();
    try {
      return act();
    } finally {
      this.release();
    }
  }

  /** Blocks until the lock is free, at most `withinMs`; the caller holds it from then on. */
  take(withinMs?: number): void {
    while (Atomics.compareExchange(this.cell, 0, FREE, TAKEN) !== FREE)
      if (Atomics.wait(this.cell, 0, TAKEN, withinMs) === 'timed-out') return;
  }

  /** Releases the lock, also if the other thread has taken it for this one. */
  release(): void {
    Atomics.store(this.cell, 0, FREE);
    Atomics.notify(this.cell, 0);
  }
}
