import type { ClientConfig, ConnectionConfig, GatewayLimits, Settings, UsageSettings } from '#bootstrap';
import type { ToolChoice } from '#contracts';
import type { FaultPoint } from '#faults';
import type { AuditTrail, KnownSwitches, Peers } from '#journal';
import type { Bus } from '#messaging';
import type { Health, Logger, Metrics } from '#observability';
import type { Store } from '#store';
import type { Time } from '#time';
import type { PasswordCost } from './people/accounts/passwords.js';
import type { FeedTimings } from './feeds/feed-timings.js';
import type { HttpTimings } from './door/http/http-timings.js';

export interface GatewayConfig extends Pick<
  ClientConfig,
  'auth' | 'registration' | 'corsOrigins' | 'allowedHosts' | 'trustedProxies' | 'opsPaths'
> {
  /** Absent: nobody can give MCP servers access to accounts. */
  connections?: ConnectionConfig['connections'];
  limits: GatewayLimits;
  /** The share of a user's turns that is hinted while hints wait; 1: all. */
  fairShare: number;
  /** Undefined: all that exist. */
  dialects?: readonly string[];
  usage: UsageSettings;
  /** Everything that the deployment offers. */
  offer: ToolChoice;
  /** Rules by toolset or tool. */
  tools: Settings['tools'];
}

/** Everything that one gateway needs from its process; opened and closed by the process. */
export interface GatewayDeps extends Time {
  faultPoint: FaultPoint;
  store: Store;
  bus: Bus;
  /** `gateway-<uuid>`. */
  processId: string;
  peers: Peers & {
    /** Whether a process counts as killed, by its heartbeat and by probes. */
    isLost(processId: string): Promise<boolean>;
  };
  switches: KnownSwitches;
  config: GatewayConfig;
  logger: Logger;
  health: Health;
  metrics: Metrics;
  auditTrail?: Pick<AuditTrail, 'keep'>;
  /** Folder of the built page. */
  pageDir: string;
  timings: FeedTimings;
  httpTimings: HttpTimings;
  passwordCost: PasswordCost;
}
