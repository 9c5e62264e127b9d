/** The values that a label can have: the listed ones, or `open`: names that the deployment chooses. */
export type LabelValues = readonly string[] | 'open';
export type Labels = Readonly<Record<string, LabelValues>>;
export type NoLabels = never;

/** One value for each label; the compiler refuses a value that is not listed. */
export type ValuesOf<L extends Labels> = {
  readonly [Name in keyof L]: L[Name] extends readonly (infer Value extends string)[] ? Value : string;
};

/** The value of an open label in series beyond the maximum. */
export const OTHER = 'other';

/** The largest number of series of a metric with these labels. */
export function maxSeries(labels: Labels, maxOpen: number): number {
  const listed = listedCombinations(labels);
  return hasOpen(labels) ? maxOpen + listed : listed;
}

/** Every combination of listed values; none if a label is open. */
export function combinationsOf(labels: Labels): Record<string, string>[] {
  let combinations: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(labels)) {
    if (values === 'open') return [];
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  }
  return combinations;
}

/**
 * Keeps a metric within its number of series: the first `maxOpen` combinations of values keep their names, and in later
 * ones every open label is `other`.
 */
export class BoundedLabels<L extends Labels> {
  private readonly known = new Set<string>();
  private readonly open: string[];

  constructor(
    labels: L,
    private readonly maxOpen: number,
  ) {
    this.open = Object.keys(labels).filter((name) => labels[name] === 'open');
  }

  bound(values: ValuesOf<L>): Record<string, string> {
    if (this.open.length === 0) return values;
    const key = JSON.stringify(values);
    if (this.known.has(key)) return values;
    if (this.known.size < this.maxOpen) {
      this.known.add(key);
      return values;
    }
    return { ...values, ...Object.fromEntries(this.open.map((name) => [name, OTHER])) };
  }
}

function hasOpen(labels: Labels): boolean {
  return Object.values(labels).includes('open');
}

function listedCombinations(labels: Labels): number {
  return Object.values(labels).reduce(
    (product, values) => (values === 'open' ? product : product * values.length),
    1,
  );
}
