import type { CallRate } from '#bootstrap';
import type { Body, ToolClass } from '#contracts';
import type { FaultPoint } from '#faults';
import type { KnownSwitches, Log } from '#journal';
import type { CallLedger } from '#ledger';
import type { Bus } from '#messaging';
import type { Metrics } from '#observability';
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

/** What this worker knows of the others. */
export interface KnownFleet {
  /** Living workers that host the toolset, at least this one. */
  workersOf(toolset: string): number;
  /** Whether a living worker of the toolset has the tool in this major version. */
  hasMajor(toolset: string, toolName: string, major: number): boolean;
  /** Asks the others to announce themselves now. */
  callRoll(): Promise<void>;
  /** Another worker has told its offer. */
  announce(told: Body<'catalog.announce'>): void;
  withdraw(told: Body<'catalog.withdraw'>): void;
}

/** How this worker's offer reaches the fleet. Both resolve to whether the broker took it. */
export interface OfferSender {
  announce(offer: Omit<Body<'catalog.announce'>, 'worker'>, replyTo?: string): Promise<boolean>;
  withdraw(): Promise<boolean>;
}

export interface ToolWorkerDeps extends Time {
  faultPoint: FaultPoint;
  /** @param leaving aborted when the worker must be gone: what it waits for then rejects */
  createLedger(leaving: AbortSignal): CallLedger;
  /** Absent where nothing is asked over the bus. */
  onLedgerAnswer?(answer: Body<'ledger.answered'>): void;
  bus: Bus;
  processId: string;
  switches: KnownSwitches;
  fleet: KnownFleet;
  offers: OfferSender;
  log: Log;
  metrics: Pick<
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
