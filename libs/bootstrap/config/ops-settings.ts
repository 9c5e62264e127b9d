import { isLoopback } from './auth-settings.js';

type Environment = Record<string, string | undefined>;

/** What the port of the clients serves to operators: health and metrics, health only, or neither. */
export type OpsPaths = 'all' | 'health' | 'none';

/** An address of its own for health and metrics; undefined: they are at `HOST` and `PORT`. */
export function toOpsAddress(environment: {
  HOST: string;
  OPS_PORT?: number;
  OPS_HOST?: string;
}): { port: number; host: string } | undefined {
  const { HOST, OPS_PORT: port, OPS_HOST: host = HOST } = environment;
  return port === undefined ? undefined : { port, host };
}

/** Metrics need no login, so clients of other machines must not reach them. */
export function toOpsPaths({ HOST, OPS_PORT }: { HOST: string; OPS_PORT?: number }): OpsPaths {
  if (OPS_PORT !== undefined) return 'none';
  return isLoopback(HOST) ? 'all' : 'health';
}

export function findOpsProblems({ OPS_PORT, OPS_HOST }: Environment): string[] {
  return OPS_HOST !== undefined && OPS_PORT === undefined
    ? ['OPS_HOST needs OPS_PORT: without it, health and metrics are at HOST and PORT']
    : [];
}

/** For processes that serve clients at `PORT`. */
export function findSharedPort({ PORT, OPS_PORT }: Environment): string[] {
  return OPS_PORT !== undefined && OPS_PORT !== '0' && OPS_PORT === (PORT ?? '3000')
    ? ['OPS_PORT must not be PORT: clients would reach the metrics']
    : [];
}

/** Settings under which metrics are hidden, or may be seen by clients. */
export function findOpsNotices({ HOST = '127.0.0.1', OPS_PORT, TRUSTED_PROXIES }: Environment): string[] {
  if (OPS_PORT !== undefined) return [];
  if (!isLoopback(HOST))
    return ['/metrics is hidden, because HOST can be reached by clients: set OPS_PORT to serve it elsewhere'];
  return TRUSTED_PROXIES === undefined
    ? []
    : ['/metrics is at the port to which proxies forward: set OPS_PORT, or do not forward it'];
}
