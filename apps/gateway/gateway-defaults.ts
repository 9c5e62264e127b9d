import { DEFAULT_FEED_TIMINGS } from './feeds/feed-timings.js';
import type { GatewayDeps } from './gateway.deps.js';
import { builtPageDir } from './http/page.js';
import { DEFAULT_HTTP_TIMINGS } from './safety/http-timings.js';

/** What every program gives its gateway: no setting reaches it. */
export function gatewayDefaults(): Pick<GatewayDeps, 'pageDir' | 'timings' | 'httpTimings'> {
  return { pageDir: builtPageDir(), timings: DEFAULT_FEED_TIMINGS, httpTimings: DEFAULT_HTTP_TIMINGS };
}
