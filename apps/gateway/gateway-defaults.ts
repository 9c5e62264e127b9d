import { DEFAULT_PASSWORD_COST } from './people/accounts/passwords.js';
import { DEFAULT_FEED_TIMINGS } from './feeds/feed-timings.js';
import type { GatewayDeps } from './gateway.deps.js';
import { builtPageDir } from './door/http/page.js';
import { DEFAULT_HTTP_TIMINGS } from './door/http/http-timings.js';

type Defaults = Pick<GatewayDeps, 'pageDir' | 'timings' | 'httpTimings' | 'passwordCost'>;

/** Values that every program passes to its gateway. No setting changes them. */
export function gatewayDefaults(): Defaults {
  return {
    pageDir: builtPageDir(),
    timings: DEFAULT_FEED_TIMINGS,
    httpTimings: DEFAULT_HTTP_TIMINGS,
    passwordCost: DEFAULT_PASSWORD_COST,
  };
}
