import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { readPrometheusConfig, readRuleFiles, type Rule } from './shipped-files.js';

/** So many times faster than shipped: five minutes are 15 s. */
const FACTOR = 20;
/** A window needs several scrapes, which come every second. */
const MIN_WINDOW_S = 5;
const MIN_FOR_S = 3;
const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600 };

/**
 * Writes a copy of the shipped configuration into the folder, whose targets come from `targetsOf`, and whose intervals,
 * windows and `for` times are shorter. `deploy/prometheus/tests` tests the true times. Returns the path of its main file.
 */
export async function writeHastenedConfig(
  folder: string,
  targetsOf: (job: string) => string,
): Promise<string> {
  const rules = join(folder, 'rules');
  await mkdir(rules, { recursive: true });
  for (const { name, groups } of readRuleFiles()) {
    const hastened = groups.map((group) => ({ ...group, rules: group.rules.map(hastenRule) }));
    await writeFile(join(rules, name), stringify({ groups: hastened }));
  }
  const shipped = readPrometheusConfig();
  const scrape_configs = shipped.scrape_configs.map(({ dns_sd_configs: _, ...rest }) => ({
    ...rest,
    file_sd_configs: [{ files: [targetsOf(rest.job_name)], refresh_interval: '1s' }],
  }));
  const global = { scrape_interval: '1s', evaluation_interval: '1s' };
  const path = join(folder, 'prometheus.yml');
  await writeFile(path, stringify({ ...shipped, global, scrape_configs }));
  return path;
}

export function hastenRule(rule: Rule): Rule {
  const expr = rule.expr.replace(/\[(\d+)([smh])\]/g, (_, count: string, unit: string) => {
    return `[${shorten(count, unit, MIN_WINDOW_S)}]`;
  });
  const [, count, unit] = /^(\d+)([smh])$/.exec(rule.for ?? '') ?? [];
  if (count === undefined || unit === undefined) return { ...rule, expr };
  return { ...rule, expr, for: shorten(count, unit, MIN_FOR_S) };
}

function shorten(count: string, unit: string, atLeastS: number): string {
  return `${Math.max(atLeastS, Math.round((Number(count) * UNITS[unit]!) / FACTOR))}s`;
}
