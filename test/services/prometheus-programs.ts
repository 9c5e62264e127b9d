import { existsSync } from 'node:fs';

/** Debian's package has both. */
export const PROMETHEUS = '/usr/bin/prometheus';
export const PROMTOOL = '/usr/bin/promtool';

/** Why they cannot be used, or undefined. */
export function findPrometheusObstacle(): string | undefined {
  const isThere = existsSync(PROMETHEUS) && existsSync(PROMTOOL);
  return isThere ? undefined : 'no prometheus and promtool (Debian: apt-get install prometheus)';
}
