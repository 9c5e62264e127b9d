import type { IncomingMessage } from 'node:http';
import type { ClientConfig } from '#bootstrap';
import type { OriginRules, RequestOrigin } from './judge-request.js';

/** Where a front end of its own is usually developed; harmless only if a request must carry a token. */
const DEVELOPMENT_ORIGINS = ['http://localhost:5173', 'http://localhost:3000'];

export function toOriginRules(
  config: Pick<ClientConfig, 'auth' | 'allowedHosts' | 'corsOrigins'>,
): OriginRules {
  const isOpen = config.auth.kind === 'none';
  const isDefault = config.corsOrigins.length === 0 && !isOpen;
  return {
    isOpen,
    allowedHosts: config.allowedHosts,
    corsOrigins: isDefault ? DEVELOPMENT_ORIGINS : config.corsOrigins,
  };
}

export function originOf({ method, headers }: IncomingMessage): RequestOrigin {
  return {
    method: method ?? '',
    host: headers.host,
    origin: headers.origin,
    fetchSite: headers['sec-fetch-site']?.toString(),
  };
}
