import type { CallRate } from '#bootstrap';
import type { ToolClass } from '#contracts';
import type { FaultPoint } from '#faults';
import type { AuditTrail, JournalMetrics, KnownSwitches, Log, Peers } from '#journal';
import type { Bus } from '#messaging';
import type { Metrics } from '#observability';
import type { Store } from '#store';
import type { InputSchemas, SlowChecks, ToolsetHost } from '#tools';
import type { Time } from '#time';
import type { QuestionTimes } from './run/call-questions.js';

/** Settings of the deployment for a tool; they override those of its source. */
export interface ToolOverrides {
  class?: ToolClass;
  timeoutMs?: number;
  /** Calls at once in this worker. */
  concurrency?: number;
  /** Calls started in the whole fleet. */
  rate?: CallRate;
  /** Bytes of a result that the model receives; absent: 32 KiB. */
  outputBytes?: number;
}

export interface ToolWorkerDeps extends Time {
  faultPoint: FaultPoint;
  store: Store;
  bus: Bus;
  processId: string;
  peers: Peers;
  switches: KnownSwitches;
  log: Log;
  /** One record per invocation. */
  auditLog: Pick<Log, 'info'>;
  auditTrail?: Pick<AuditTrail, 'keep'>;
  metrics: JournalMetrics &
    Pick<
      Metrics,
      | 'toolCallDuration'
      | 'toolCallWait'
      | 'toolCallsRunning'
      | 'toolCallSlots'
      | 'toolRateRefusals'
      | 'toolOutputProblems'
      | 'refusals'
    >;
  hosts: ToolsetHost[];
  /** Checks arguments whose check may take long. */
  slowChecks: SlowChecks;
  /** Compiled once for all checks. */
  schemas: InputSchemas;
  /** Default: the production implementation. */
  questionTimes?: Partial<QuestionTimes>;
  /** By toolset (`math`) or tool (`math.add`). */
  overridesFor(name: string): ToolOverrides;
}
