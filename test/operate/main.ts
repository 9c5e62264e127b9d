import { findPrometheusObstacle } from '../services/prometheus-programs.js';
import { Load } from './load.js';
import { PROVOCATIONS } from './provocations/provocations.js';
import { Report } from './report.js';
import { playProvocation } from './play-provocation.js';
import { checkHealth, checkEveryPanel } from './check-panels.js';
import { readAlerts } from './shipped-files.js';
import { Site } from './site.js';

/*
 * `npm run operate [alert…]`: dashboards, rules and runbooks of `deploy` and `docs/runbooks` against a running installation
 * and a real Prometheus. Prints a line for each check; exit code 1 when one failed.
 */

const obstacle = findPrometheusObstacle();
if (obstacle) throw new Error(obstacle);
const names = process.argv.slice(2);
const known = readAlerts().map(({ alert }) => alert);
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no alert is called ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  process.exit(2);
}
const chosen = PROVOCATIONS.filter(
  ({ fires }) => names.length === 0 || fires.some(({ alert }) => names.includes(alert)),
);

const report = new Report();
const startedAt = Date.now();
const site = await Site.start();
const load = new Load(site);
try {
  await checkHealth(site.prometheus, report);
  for (const provocation of chosen) await playProvocation(provocation, site, report);
  if (names.length === 0) await checkEveryPanel(site.prometheus, startedAt, report);
} finally {
  await load.stop();
  await site.stop();
}
console.log(report.summary);
process.exit(report.failures === 0 ? 0 : 1);
