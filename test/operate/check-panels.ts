import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../services/wait-for.js';
import type { Prometheus } from './prometheus.js';
import type { Report } from './report.js';
import { readPanelQueries, readPrometheusConfig, type PanelQuery } from './shipped-files.js';

/** Longer than every hastened window and `for` time together. */
const HEALTHY_MS = 60_000;
const SCRAPED_MS = 60_000;
const PANELS_MS = 30_000;
const INTERVAL = '15s';

/** In health every panel has data, except those that say what an empty answer means, and no alert fires. */
export async function checkHealth(prometheus: Prometheus, report: Report): Promise<void> {
  const sinceMs = await untilScraped(prometheus);
  await delay(HEALTHY_MS);
  const queries = readPanelQueries(INTERVAL).filter(({ mayBeEmpty }) => !mayBeEmpty);
  const haveData = await Promise.all(queries.map((query) => hasData(prometheus, query, report)));
  report.passed(
    'panels in health',
    `${haveData.filter(Boolean).length} of ${queries.length} queries have data`,
  );
  const alerts = 'count by (alertname) (ALERTS{alertstate="firing"})';
  const fired = await prometheus.queryRange(alerts, sinceMs);
  for (const { metric } of fired) report.failed('health', `${metric.alertname} fires`);
  if (fired.length === 0) report.passed('health', 'no alert fires');
}

async function hasData(
  prometheus: Prometheus,
  { where, expr }: PanelQuery,
  report: Report,
): Promise<boolean> {
  try {
    const isFull = async () => (await prometheus.query(expr)).some(({ value }) => value && isNumber(value));
    return await waitFor(isFull, { what: 'data', timeoutMs: PANELS_MS, intervalMs: 1_000 });
  } catch (error) {
    report.failed(where, `${expr}: ${reasonOf(error)}`);
    return false;
  }
}

/** Resolves with the time from which on each job has a target that answers, and no alert is active. */
async function untilScraped(prometheus: Prometheus): Promise<number> {
  const jobs = readPrometheusConfig().scrape_configs.map(({ job_name }) => job_name);
  const isWhole = async () => {
    const answering = await prometheus.jobsThatAnswer();
    return jobs.every((job) => answering.includes(job)) && (await prometheus.alerts()).length === 0;
  };
  await waitFor(isWhole, { what: 'every job answering', timeoutMs: SCRAPED_MS, intervalMs: 500 });
  return Date.now();
}

/** Every query of every panel has had data at some time since then. */
export async function checkEveryPanel(
  prometheus: Prometheus,
  sinceMs: number,
  report: Report,
): Promise<void> {
  const queries = readPanelQueries(INTERVAL);
  for (const query of queries) await checkPanel(prometheus, query, sinceMs, report);
}

async function checkPanel(
  prometheus: Prometheus,
  { where, expr }: PanelQuery,
  sinceMs: number,
  report: Report,
): Promise<void> {
  try {
    const series = await prometheus.queryRange(expr, sinceMs);
    const count = series.filter(({ values }) => values?.some(isNumber)).length;
    if (count > 0) report.passed(where, `${count} series`);
    else report.failed(where, `no data: ${expr}`);
  } catch (error) {
    report.failed(where, reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

/** A share of nothing is none. */
function isNumber([, value]: [number, string]): boolean {
  return value !== 'NaN';
}
