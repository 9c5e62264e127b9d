import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { BoundedLabels, combinationsOf, maxSeries, type Labels, type NoLabels } from './bounded-labels.js';
import { BoundedCounter, BoundedGauge, BoundedHistogram } from './bounded-metrics.js';

const DEFAULT_MAX_OPEN = 25;
/** A histogram has a series for each bucket, and one each for the rest (`+Inf`), the sum and the number. */
const SERIES_BESIDES_BUCKETS = 3;

/** A metric as its documentation shows it. */
export interface MetricDefinition {
  subject: string;
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: Labels;
  buckets?: readonly number[];
  /** The largest number of series in one process. */
  maxSeries: number;
}

interface MetricOptions<L extends Labels> {
  name: string;
  /** One sentence for operators; the unit is in the name. */
  help: string;
  /** Never an id, a user, or a name that only a client chose. */
  labels?: L;
  /** The largest number of series with names in open labels; later ones are `other`. */
  maxOpen?: number;
}

interface CounterOptions<L extends Labels> extends MetricOptions<L> {
  /**
   * Shows every combination of listed values from the start of the process. `increase()` of Prometheus cannot see a first
   * count that comes with its series, so a counter whose first count is an alarm needs this.
   */
  startsAtZero?: boolean;
}

/** Defines the metrics of one subject. */
export class MetricSubject {
  constructor(
    private readonly subject: string,
    private readonly registry: Registry,
    private readonly definitions: MetricDefinition[],
  ) {}

  counter<const L extends Labels = NoLabels>(options: CounterOptions<L>): BoundedCounter<L> {
    const { config, labels } = this.define('counter', options);
    const counter = new Counter(config);
    if (options.startsAtZero)
      for (const combination of combinationsOf(options.labels ?? {})) counter.inc(combination, 0);
    return new BoundedCounter(counter, labels);
  }

  gauge<const L extends Labels = NoLabels>(options: MetricOptions<L>): BoundedGauge<L> {
    const { config, labels } = this.define('gauge', options);
    return new BoundedGauge(new Gauge(config), labels);
  }

  histogram<const L extends Labels = NoLabels>(
    options: MetricOptions<L> & { buckets: readonly number[] },
  ): BoundedHistogram<L> {
    const { config, labels } = this.define('histogram', options, options.buckets);
    return new BoundedHistogram(new Histogram({ ...config, buckets: [...options.buckets] }), labels);
  }

  private define<L extends Labels>(
    type: MetricDefinition['type'],
    options: MetricOptions<L>,
    buckets?: readonly number[],
  ) {
    const { name, help, labels = {} as L, maxOpen = DEFAULT_MAX_OPEN } = options;
    const perSeries = buckets ? buckets.length + SERIES_BESIDES_BUCKETS : 1;
    this.definitions.push({
      subject: this.subject,
      name,
      type,
      help,
      labels,
      buckets,
      maxSeries: maxSeries(labels, maxOpen) * perSeries,
    });
    const config = { name, help, labelNames: Object.keys(labels), registers: [this.registry] };
    return { config, labels: new BoundedLabels(labels, maxOpen) };
  }
}
