import type { GatewayConfig } from '../gateway.deps.js';

/** Of a gateway that lets everybody in, offers everything and has no budgets. */
export function openConfig(limits: GatewayConfig['limits']): GatewayConfig {
  return {
    auth: { kind: 'none' },
    registration: 'open',
    corsOrigins: [],
    allowedHosts: [],
    trustedProxies: [],
    opsPaths: 'all',
    limits,
    fairShare: 1,
    usage: { budget: {}, keepDays: 1 },
    offer: {},
    tools: new Map(),
  };
}
