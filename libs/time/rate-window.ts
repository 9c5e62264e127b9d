import type { Clock } from './clock.port.js';

export interface RateWindowLimits {
  /** An amount counts for this long. */
  windowMs: number;
  /**
   * An amount within this long of a key's newest entry is added to that entry and ends with it. If equal to the window,
   * each window begins with its first amount and ends as a whole. Default 0: each amount has its own time.
   */
  sliceMs?: number;
}

interface Entry {
  key: string;
  at: number;
  amount: number;
  source: string;
}

/**
 * Amounts by key within the last `windowMs`. The cost of adding in order of time does not grow with the number of
 * entries.
 */
export class RateWindow {
  /** Oldest first; some may be in the future. */
  private readonly entries: Entry[] = [];
  private readonly sums = new Map<string, number>();
  private readonly newest = new Map<string, Entry>();

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly limits: RateWindowLimits,
  ) {}

  /** `source`: for `takeBack`. `laterMs`: the amount counts this much longer than an amount added now. */
  add(key: string, amount: number, { source = '', laterMs = 0 } = {}): void {
    const now = this.forgetOld();
    const { sliceMs = 0 } = this.limits;
    const last = this.newest.get(key);
    this.count(key, amount);
    if (last && now - last.at < sliceMs) {
      last.amount += amount;
      return;
    }
    const entry = { key, at: now + laterMs, amount, source };
    const before = this.entries.findLastIndex(({ at }) => at <= entry.at);
    this.entries.splice(before + 1, 0, entry);
    if (sliceMs > 0) this.newest.set(key, entry);
  }

  sumOf(key: string): number {
    this.forgetOld();
    return this.sums.get(key) ?? 0;
  }

  /** The number of entries of all keys. */
  get size(): number {
    this.forgetOld();
    return this.entries.length;
  }

  /** How long until the sum of `key` is less than `limit`; 0 when it is. */
  waitMs(key: string, limit: number): number {
    let left = this.sumOf(key);
    if (left < limit) return 0;
    for (const entry of this.entries) {
      if (entry.key !== key) continue;
      left -= entry.amount;
      if (left < limit) return this.endOf(entry);
    }
    return this.limits.windowMs;
  }

  /** How long until the next entry ends; 0 when there are none. */
  get nextEndMs(): number {
    this.forgetOld();
    const [oldest] = this.entries;
    return oldest ? this.endOf(oldest) : 0;
  }

  /**
   * Takes back the newest amounts that `source` has added: `amount` in total, or its newest entry. Returns how much was
   * taken back.
   */
  takeBack(key: string, source: string, amount?: number): number {
    let left = amount ?? Infinity;
    let taken = 0;
    for (let i = this.entries.length - 1; i >= 0 && left > 0; i--) {
      const entry = this.entries[i]!;
      if (entry.key !== key || entry.source !== source) continue;
      const part = Math.min(left, entry.amount);
      taken += part;
      left = amount === undefined ? 0 : left - part;
      entry.amount -= part;
      this.count(key, -part);
      if (entry.amount > 0) continue;
      this.entries.splice(i, 1);
      this.forget(entry);
    }
    return taken;
  }

  private endOf({ at }: Entry): number {
    return at + this.limits.windowMs - this.clock.now();
  }

  private forgetOld(): number {
    const now = this.clock.now();
    let old = 0;
    for (const entry of this.entries) {
      if (now - entry.at < this.limits.windowMs) break;
      old++;
      this.count(entry.key, -entry.amount);
      this.forget(entry);
    }
    if (old > 0) this.entries.splice(0, old);
    return now;
  }

  private forget(entry: Entry): void {
    if (this.newest.get(entry.key) === entry) this.newest.delete(entry.key);
  }

  private count(key: string, amount: number): void {
    const sum = (this.sums.get(key) ?? 0) + amount;
    if (sum > 0) this.sums.set(key, sum);
    else this.sums.delete(key);
  }
}
