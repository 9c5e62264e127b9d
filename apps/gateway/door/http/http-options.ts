import type { Logger, Refusals } from '#observability';
import type { Time } from '#time';
import type { Authenticate } from '../../people/auth/user.js';
import type { BodyBudget } from '../bodies/body-budget.js';
import type { DialectWire } from '../refusals/dialect-wire.js';
import type { SendError } from '../refusals/send-error.js';
import type { HttpConnections } from './http-connections.js';
import type { OriginRules } from './judge-request.js';
import type { RequestPlaces } from './request-places.js';

/** What the steps in front of the routes need to know. */
export interface HttpOptions {
  rules: OriginRules;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: string[];
  dialects: readonly DialectWire[];
  /** Whether `DIALECTS` names them, so that each was enabled on purpose. */
  areDialectsNamed: boolean;
  sendError: SendError;
  log: Pick<Logger, 'debug'>;
  authenticate: Authenticate;
  places: RequestPlaces;
  connections: Pick<HttpConnections, 'hold' | 'limitAnswer'>;
  refusals: Pick<Refusals, 'note'>;
  bodyBudget: BodyBudget;
  /** Whether users are told apart. */
  countsUsers: boolean;
  time: Time;
}
