const EPOCH = Date.UTC(2030, 0, 1);
/** A process that starts at zero would look as if it had just reconnected. */
const MONOTONIC_START_MS = 1_000_000;

interface Entry {
  at: number;
  order: number;
  run: () => void;
  everyMs?: number;
}

type Callback = (...args: unknown[]) => void;

/** What `setTimeout` returns, as far as anybody here uses it. */
class Handle {
  constructor(public entry: Entry | undefined) {}

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

/**
 * Time that passes only when nothing is left to do: minutes of timeouts cost milliseconds, and what happens in which
 * order depends on the timers alone. Replaces the timers, `Date` and `performance` of the test file's own realm.
 */
export class VirtualClock {
  private readonly realImmediate = globalThis.setImmediate;
  private readonly entries = new TimerHeap();
  private nowMs = 0;
  private order = 0;

  /** Milliseconds since the clock was made. */
  get elapsedMs(): number {
    return this.nowMs;
  }

  /** Until `restore` is called, everything in this realm lives by this clock. */
  install(): { restore: () => void } {
    const names = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval'] as const;
    const real = [...names, 'clearImmediate', 'Date', 'performance'].map(
      (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)!] as const,
    );
    const clear = (handle?: Handle) => this.clear(handle);
    this.define('setTimeout', (run: Callback, ms = 0, ...args: unknown[]) =>
      this.add(run, Math.max(1, ms), args),
    );
    this.define('setImmediate', (run: Callback, ...args: unknown[]) => this.add(run, 0, args));
    this.define('setInterval', (run: Callback, ms = 0, ...args: unknown[]) =>
      this.add(run, Math.max(1, ms), args, Math.max(1, ms)),
    );
    for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate']) this.define(name, clear);
    this.define('Date', this.virtualDate());
    this.define('performance', { now: () => MONOTONIC_START_MS + this.nowMs });
    return {
      restore: () => {
        for (const [name, descriptor] of real) Object.defineProperty(globalThis, name, descriptor);
      },
    };
  }

  /** Lets time pass until `isDone`; false when that took longer than `limitMs` of it. */
  async runUntil(isDone: () => boolean, limitMs: number): Promise<boolean> {
    const endsAt = this.nowMs + limitMs;
    await this.settle();
    while (!isDone()) {
      const next = this.entries.takeFirst();
      if (!next || next.at > endsAt) {
        if (next) this.entries.add(next);
        return false;
      }
      this.nowMs = next.at;
      if (next.everyMs !== undefined) {
        next.at += next.everyMs;
        next.order = this.order++;
        this.entries.add(next);
      }
      next.run();
      await this.settle();
    }
    return true;
  }

  /** Everything that follows without time: all promises of this realm have gone as far as they can. */
  private settle(): Promise<void> {
    return new Promise((resolve) => this.realImmediate(resolve));
  }

  private add(run: Callback, ms: number, args: unknown[], everyMs?: number): Handle {
    const entry = { at: this.nowMs + ms, order: this.order++, run: () => run(...args), everyMs };
    this.entries.add(entry);
    return new Handle(entry);
  }

  private clear(handle?: Handle): void {
    if (handle?.entry) this.entries.remove(handle.entry);
  }

  private virtualDate(): typeof Date {
    const now = () => EPOCH + Math.floor(this.nowMs);
    return new Proxy(Date, {
      construct: (target, args: [number]) => (args.length > 0 ? new target(...args) : new target(now())),
      get: (target, name, receiver) =>
        name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown),
    });
  }

  private define(name: string, value: unknown): void {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}

/** Earliest first; of the same moment, the one that was set first. */
class TimerHeap {
  private readonly heap: Entry[] = [];
  private readonly removed = new WeakSet<Entry>();

  add(entry: Entry): void {
    const { heap } = this;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, entry)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  /** Also of one that is repeated: it is taken out when it is next. */
  remove(entry: Entry): void {
    this.removed.add(entry);
  }

  takeFirst(): Entry | undefined {
    for (;;) {
      const first = this.pop();
      if (!first || !this.removed.has(first)) return first;
    }
  }

  private pop(): Entry | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || first === last) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const child = right < heap.length && isBefore(heap[right]!, heap[left]!) ? right : left;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
