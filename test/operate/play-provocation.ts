import { waitFor } from '../services/wait-for.js';
import type { ExpectedAlert, Mend, Provocation } from './provocation.js';
import type { ActiveAlert } from './prometheus.js';
import type { Report } from './report.js';
import type { Site } from './site.js';

const FIRES_MS = 90_000;
const RESOLVES_MS = 120_000;
const QUIET_MS = 180_000;

/** The alerts fire; what the runbook says is done; they are resolved, and nothing else is left. */
export async function playProvocation(provocation: Provocation, site: Site, report: Report): Promise<void> {
  const { says, fires, provoke } = provocation;
  let mend: Mend;
  try {
    mend = await provoke(site);
  } catch (error) {
    report.failed(says, `cannot be provoked: ${String(error)}`);
    return;
  }
  const fired = await Promise.all(fires.map((expected) => untilFired(site, expected, report)));
  let takeBack: Awaited<ReturnType<Mend>> = undefined;
  try {
    takeBack = await mend();
  } catch (error) {
    report.failed(says, `the runbook does not work: ${String(error)}`);
  }
  await Promise.all(
    fires.map((expected, at) => (fired[at] ? untilResolved(site, expected, says, report) : undefined)),
  );
  await takeBack?.();
  await untilQuiet(site, says, report);
}

async function untilFired(site: Site, expected: ExpectedAlert, report: Report): Promise<boolean> {
  const startedAt = performance.now();
  try {
    const isFiring = async () => {
      const alerts = await site.prometheus.alerts();
      return alerts.find((alert) => alert.state === 'firing' && isExpected(alert, expected));
    };
    const { annotations } = await waitFor(isFiring, { what: 'firing', timeoutMs: FIRES_MS, intervalMs: 500 });
    report.passed(nameOf(expected), `fires after ${secondsSince(startedAt)} s: ${annotations.summary}`);
    return true;
  } catch (error) {
    const active = (await site.prometheus.alerts()).map(
      ({ labels, state }) => `${labels.alertname} ${state}`,
    );
    report.failed(nameOf(expected), `${String(error)}; active: ${active.join(', ') || 'none'}`);
    return false;
  }
}

async function untilResolved(
  site: Site,
  expected: ExpectedAlert,
  says: string,
  report: Report,
): Promise<void> {
  const startedAt = performance.now();
  try {
    const isResolved = async () =>
      !(await site.prometheus.alerts()).some((alert) => isExpected(alert, expected));
    await waitFor(isResolved, { what: 'resolved', timeoutMs: RESOLVES_MS, intervalMs: 500 });
    report.passed(nameOf(expected), `resolved ${secondsSince(startedAt)} s after the runbook (${says})`);
  } catch (error) {
    report.failed(nameOf(expected), String(error));
  }
}

/** What else the trouble fired must end, too, before the next one. */
async function untilQuiet(site: Site, says: string, report: Report): Promise<void> {
  const firing = async () => (await site.prometheus.alerts()).filter(({ state }) => state === 'firing');
  try {
    const isQuiet = async () => (await firing()).length === 0;
    await waitFor(isQuiet, { what: 'quiet', timeoutMs: QUIET_MS, intervalMs: 1_000 });
  } catch {
    const names = (await firing()).map(({ labels }) => JSON.stringify(labels));
    report.failed(says, `leaves alerts that fire: ${names.join(', ')}`);
  }
}

function isExpected({ labels }: ActiveAlert, { alert, labels: expected = {} }: ExpectedAlert): boolean {
  const isSame = ([name, value]: [string, string]) => labels[name] === value;
  return labels.alertname === alert && Object.entries(expected).every(isSame);
}

function nameOf({ alert, labels }: ExpectedAlert): string {
  return labels ? `${alert} ${Object.values(labels).join(' ')}` : alert;
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(0);
}
