import type { Counter, Gauge, Histogram } from 'prom-client';
import type { BoundedLabels, Labels, NoLabels, ValuesOf } from './bounded-labels.js';

/** A metric without labels takes only the number. */
type Labelled<L extends Labels, Rest extends unknown[]> = [L] extends [NoLabels]
  ? Rest
  : [labels: ValuesOf<L>, ...Rest];

/** A counter that never has more series than its definition says. */
export class BoundedCounter<L extends Labels = NoLabels> {
  constructor(
    private readonly counter: Counter,
    private readonly labels: BoundedLabels<L>,
  ) {}

  inc(...args: Labelled<L, [by?: number]>): void {
    const [labels, by = 1] = split(this.labels, args);
    this.counter.inc(labels, by);
  }

  get() {
    return this.counter.get();
  }
}

/** A gauge that never has more series than its definition says. */
export class BoundedGauge<L extends Labels = NoLabels> {
  constructor(
    private readonly gauge: Gauge,
    private readonly labels: BoundedLabels<L>,
  ) {}

  set(...args: Labelled<L, [value: number]>): void {
    const [labels, value = 0] = split(this.labels, args);
    this.gauge.set(labels, value);
  }

  inc(...args: Labelled<L, [by?: number]>): void {
    const [labels, by = 1] = split(this.labels, args);
    this.gauge.inc(labels, by);
  }

  dec(...args: Labelled<L, [by?: number]>): void {
    const [labels, by = 1] = split(this.labels, args);
    this.gauge.dec(labels, by);
  }

  /** Calls `read` before each scrape, which waits for it; it sets the values. */
  readOnDemand(read: (gauge: this) => void | Promise<void>): void {
    Object.assign(this.gauge, { collect: () => read(this) });
  }

  get() {
    return this.gauge.get();
  }
}

/** A histogram that never has more series than its definition says. */
export class BoundedHistogram<L extends Labels = NoLabels> {
  constructor(
    private readonly histogram: Histogram,
    private readonly labels: BoundedLabels<L>,
  ) {}

  observe(...args: Labelled<L, [value: number]>): void {
    const [labels, value = 0] = split(this.labels, args);
    this.histogram.observe(labels, value);
  }

  get() {
    return this.histogram.get();
  }
}

function split<L extends Labels>(
  bounded: BoundedLabels<L>,
  args: unknown[],
): [labels: Record<string, string>, value: number | undefined] {
  const [first, second] = args;
  if (typeof first !== 'object') return [{}, first as number | undefined];
  return [bounded.bound(first as ValuesOf<L>), second as number | undefined];
}
