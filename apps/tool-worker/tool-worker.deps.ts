import type { CallRate } from '#bootstrap';
import type { ToolClass } from '#contracts';
import type { FaultPoint } from '#faults';
import type { Log, Peers } from '#journal';
import type { Bus } from '#messaging';
import type { Metrics } from '#observability';
import type { Store } from '#store';
import type { InputSchemas, SlowChecks, ToolsetHost } from '#tools';
import type { Time } from '#time';
import type { QuestionTimes } from './run/call-questions.js';

/** What the deployment sets for a tool, over what its source says. */
export interface ToolOverrides {
  class?: ToolClass;
  timeoutMs?: number;
  /** Calls at once in this worker. */
  concurrency?: number;
  /** Calls started in the whole fleet. */
  rate?: CallRate;
  /** Bytes of a result that the model is given; absent: 32 KiB. */
  outputBytes?: number;
}

export interface ToolWorkerDeps extends Time {
  faultPoint: FaultPoint;
  store: Store;
  bus: Bus;
  processId: string;
  peers: Peers;
  log: Log;
  /** One record per invocation. */
  auditLog: Pick<Log, 'info'>;
  metrics: Pick<Metrics, 'toolCalls' | 'toolCallDuration' | 'toolRateRefusals' | 'refusals'>;
  hosts: ToolsetHost[];
  /** Of arguments whose check may take long. */
  slowChecks: SlowChecks;
  /** Compiled once for all that it checks. */
  schemas: InputSchemas;
  /** Default: what runs in production. */
  questionTimes?: Partial<QuestionTimes>;
  /** By toolset (`math`) or tool (`math.add`). */
  overridesFor(name: string): ToolOverrides;
}
