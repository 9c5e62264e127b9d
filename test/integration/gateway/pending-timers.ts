type Timer = NodeJS.Timeout;
interface Timers {
  setTimeout: (listener: (...args: unknown[]) => void, ...rest: unknown[]) => Timer;
  setInterval: (listener: (...args: unknown[]) => void, ...rest: unknown[]) => Timer;
  clearTimeout: (timer?: Timer) => void;
  clearInterval: (timer?: Timer) => void;
}

/** Which timers of the code under test have neither fired nor been cleared, and where they were set. */
export class PendingTimers {
  private readonly pending = new Map<Timer, string>();
  private readonly original: Timers;

  constructor() {
    const scope = globalThis as unknown as Timers;
    const { setTimeout, setInterval, clearTimeout, clearInterval } = scope;
    this.original = { setTimeout, setInterval, clearTimeout, clearInterval };
    scope.setTimeout = (listener, ...rest) => {
      const timer: Timer = setTimeout(
        (...args) => {
          this.pending.delete(timer);
          listener(...args);
        },
        ...rest,
      );
      return this.note(timer);
    };
    scope.setInterval = (listener, ...rest) => this.note(setInterval(listener, ...rest));
    scope.clearTimeout = (timer) => this.forget(timer, clearTimeout);
    scope.clearInterval = (timer) => this.forget(timer, clearInterval);
  }

  list(): string[] {
    return [...this.pending.values()];
  }

  restore(): void {
    Object.assign(globalThis, this.original);
  }

  private note(timer: Timer): Timer {
    this.pending.set(timer, new Error('set').stack ?? '');
    return timer;
  }

  private forget(timer: Timer | undefined, clear: (timer?: Timer) => void): void {
    if (timer !== undefined) this.pending.delete(timer);
    clear(timer);
  }
}
