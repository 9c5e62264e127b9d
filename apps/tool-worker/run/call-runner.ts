import type { Body, Claim, ErrorDetail, ToolCallBody, ToolResult } from '#contracts';
import type { KnownSwitches } from '#journal';
import type { WorkerCall } from '#ledger';
import type { DeliveryOutcome } from '#messaging';
import { Refusals } from '#observability';
import { ArgumentValidator, type InputSchemas, type SlowChecks, type Slots } from '#tools';
import { traceIdOf } from '#tracing';
import { decideDelivery, mayRunAgain, pausedDetail, toolsetOf } from '#turn';
import type { Fleet } from '../offer/fleet.js';
import type { HostedTool, HostedTools } from '../offer/hosted-tools.js';
import type { ToolWorkerDeps } from '../tool-worker.deps.js';
import { CallAttempts, type RunPorts } from './call-attempts.js';
import { CallEnds } from './call-ends.js';
import type { CallPace } from './call-pace.js';
import { ActiveCall, type Sent } from './active-call.js';
import type { QuestionTimes } from './call-questions.js';
import { isOtherMajor, OtherVersions } from './other-versions.js';
import { OutputChecks } from './output-checks.js';
import type { RateLimits } from './rate-limits.js';
import { StoppedClaims } from './stopped-claims.js';
import { toWorkerCall } from './to-worker-call.js';

export interface CallRunnerOptions {
  slowChecks: SlowChecks;
  schemas: InputSchemas;
  rates: RateLimits;
  questionTimes: QuestionTimes;
  pace: CallPace;
  switches: Pick<KnownSwitches, 'pauseOf'>;
  fleet: Pick<Fleet, 'hasMajor'>;
}

/** Handles the calls of this worker from the parsed message to the ack (docs/architecture.md, "The life of a turn"). */
export class CallRunner {
  private readonly validator: ArgumentValidator;
  /** Calls whose delivery is being handled. A Stop may arrive before the store has confirmed the claim. */
  private readonly active = new Map<string, ActiveCall>();
  /** Calls that continue without their delivery, because they have asked a person. */
  private readonly inProgress = new Set<Promise<DeliveryOutcome>>();
  private readonly questionTimes: QuestionTimes;
  private readonly rates: RateLimits;
  private readonly ends: CallEnds;
  private readonly stoppedClaims: StoppedClaims;
  private readonly pauseOf: KnownSwitches['pauseOf'];
  private readonly otherVersions: OtherVersions;
  private readonly outputChecks: OutputChecks;
  private isLeaving = false;

  constructor(
    private readonly ports: RunPorts,
    private readonly hosted: HostedTools,
    private readonly metrics: ToolWorkerDeps['metrics'],
    { slowChecks, schemas, rates, questionTimes, pace, switches, fleet }: CallRunnerOptions,
  ) {
    this.rates = rates;
    this.otherVersions = new OtherVersions(ports, fleet);
    this.validator = new ArgumentValidator({
      slowChecks,
      schemas,
      refusals: new Refusals(metrics.refusals, ports.log, ports.clock),
    });
    this.outputChecks = new OutputChecks({ slowChecks, schemas }, metrics);
    this.ends = new CallEnds(ports.ledger, metrics, pace);
    this.questionTimes = questionTimes;
    this.stoppedClaims = new StoppedClaims(ports.ledger);
    this.pauseOf = (toolName) => switches.pauseOf(toolName);
  }

  /** Tells a call to stop. A call claimed but not run here ends, unless another worker may be running it. */
  async cancel(told: Body<'tool.cancel'>): Promise<void> {
    const hand = this.active.get(told.tool_call_id);
    if (hand) hand.cancel();
    else await this.stoppedClaims.cancel(told);
  }

  /** Tells a call that its question has been answered. */
  answered(toolCallId: string): void {
    this.active.get(toolCallId)?.noteAnswer();
  }

  /**
   * The worker leaves. A call whose connection breaks now runs again elsewhere, if it may. A call that may not run
   * again and waits for a person continues without the answer, so that it ends with its own result, not as unknown.
   */
  leave(): void {
    this.isLeaving = true;
    for (const hand of this.active.values()) if (!hand.mayRunAgain) hand.giveUpAsking();
  }

  /**
   * Resolves when no running call would be lost with this worker. Some of these calls hold no delivery: it was
   * acknowledged while a person was asked, or lost with its connection.
   */
  async finish(): Promise<void> {
    await Promise.allSettled(this.inProgress);
  }

  /**
   * One `tool.call`, from delivery to ack. A second copy is dropped: two claims that one process makes in the same
   * millisecond are the same row, so both copies could take it for theirs.
   *
   * @param sent to measure how long the call waited, and to continue its trace
   */
  async handle(body: ToolCallBody, slots: Slots, sent?: Sent): Promise<DeliveryOutcome> {
    const { tool_call_id } = body;
    if (this.active.has(tool_call_id)) return 'ack';
    const hand = new ActiveCall(mayRunAgain(body.class), this.ports.clock, sent);
    this.active.set(tool_call_id, hand);
    const handling = this.handleOnce(body, slots, hand).finally(() => this.active.delete(tool_call_id));
    if (!hand.mayRunAgain) this.waitFor(handling);
    return Promise.race([handling, hand.asked.then(() => this.letGo(handling, body, hand))]);
  }

  private waitFor(handling: Promise<DeliveryOutcome>): void {
    this.inProgress.add(handling);
    void handling.finally(() => this.inProgress.delete(handling)).catch(() => undefined);
  }

  /** A person may take longer than a delivery may be held: it is acknowledged now, and the call continues. */
  private letGo(
    handling: Promise<DeliveryOutcome>,
    body: ToolCallBody,
    { sent }: ActiveCall,
  ): DeliveryOutcome {
    const { tool_call_id, turn_id } = body;
    const about = { tool_call_id, turn_id, trace_id: traceIdOf(sent.traceparent) };
    handling.catch((error: unknown) =>
      this.ports.log.error({ err: error, ...about }, 'call failed after it asked a person'),
    );
    return 'ack';
  }

  private async handleOnce(body: ToolCallBody, slots: Slots, hand: ActiveCall): Promise<DeliveryOutcome> {
    const delivered = decideDelivery(Date.parse(body.deadline), this.ports.clock.wall());
    if (delivered.do === 'drop') return 'ack';
    const hosted = this.hosted.find(body.tool_name);
    if (!hosted) return this.leaveUnknown(body.tool_name);
    const call = toWorkerCall(hosted, body, hand.sent);
    const left = isOtherMajor(hosted, body) ? await this.otherVersions.leave(hosted, call) : undefined;
    if (left === 'passed_on') return 'ack';
    const { input_schema } = hosted.definition;
    const refusal = left ?? (await this.validator.validate(input_schema, body.arguments, body));
    if (refusal) {
      await this.refuse(call, refusal);
      return 'ack';
    }
    const first = await (delivered.do === 'refuse'
      ? this.refuse(call, delivered.error)
      : slots.use((slot) => this.claimAndRun(call, hand.runIn(slot))));
    if (first) return first;
    // Checking whether another worker is alive takes time but no slot.
    const again = await this.ports.ledger.claimAgain(call);
    if (again === 'elsewhere') return 'ack';
    if ('stopped' in again) {
      const attempt = again.stopped;
      await this.stoppedClaims.leave(call, { attempt, first: attempt, hasRun: false });
      return 'ack';
    }
    this.rates.count(body.tool_name);
    return slots.use((slot) => this.run(hosted, call, again.mine, hand.runIn(slot)));
  }

  /** Undefined when another worker has claimed the call before. */
  private async claimAndRun(call: WorkerCall, hand: ActiveCall): Promise<DeliveryOutcome | undefined> {
    const { body } = call;
    const { ledger } = this.ports;
    // While it waited for a slot, this worker may have begun to leave, the deadline passed or the server disconnected.
    if (this.isLeaving) return giveBack();
    // It is not claimed, so the orchestrator that drives the turn sends it again.
    if (hand.hold.leftMs === 0) return 'ack';
    const now = decideDelivery(Date.parse(body.deadline), this.ports.clock.wall());
    if (now.do === 'refuse') return this.refuse(call, now.error);
    const hosted = this.hosted.find(body.tool_name);
    if (!hosted) return this.leaveUnknown(body.tool_name);
    await this.ports.faultPoint('call_received');
    const pause = this.pauseOf(body.tool_name);
    if (pause) {
      const error = pausedDetail(body.tool_name, pause, { wasClaimed: false });
      return ackIf(await ledger.refuseUnclaimed(call, failed(error)));
    }
    const waitMs = this.rates.take(body.tool_name);
    if (waitMs !== undefined) return ackIf(await this.ends.refuseForNow(call, waitMs));
    const claimed = await ledger.claim(call);
    if (claimed === 'lost') {
      this.rates.giveBack(body.tool_name);
      return undefined;
    }
    if (claimed === 'elsewhere') return 'ack';
    this.noteWait(body, hand);
    return this.run(hosted, call, claimed.mine, hand);
  }

  /** Undefined when a worker has claimed the call to run it. */
  private async refuse(call: WorkerCall, error: ErrorDetail): Promise<DeliveryOutcome | undefined> {
    return ackIf(await this.ports.ledger.refuse(call, failed(error)));
  }

  private noteWait({ tool_name }: ToolCallBody, { sent: { at } }: ActiveCall): void {
    if (at === undefined) return;
    const waitedMs = Math.max(0, this.ports.clock.wall() - Date.parse(at));
    this.metrics.toolCallWait.observe({ toolset: toolsetOf(tool_name) }, waitedMs / 1_000);
  }

  /**
   * A missing tool of a toolset hosted here is unreachable with its server: the orchestrator that drives the turn sends
   * the call again when a worker has the tool, or gives it up when none does. Any other missing tool is a mistake.
   */
  private leaveUnknown(toolName: string): DeliveryOutcome {
    return this.hosted.hosts(toolsetOf(toolName)) ? 'ack' : { reject: `this worker has no tool ${toolName}` };
  }

  private async run(
    hosted: HostedTool,
    call: WorkerCall,
    claim: Claim,
    hand: ActiveCall,
  ): Promise<DeliveryOutcome> {
    const { questionTimes, stoppedClaims, outputChecks } = this;
    const isLeaving = () => this.isLeaving;
    const attempts = new CallAttempts(
      this.ports,
      { ...call, hosted, hand },
      { questionTimes, isLeaving, stoppedClaims, outputChecks },
    );
    const ended = await attempts.run(claim);
    if (ended === 'elsewhere') return 'ack';
    if (ended === 'given_back') return giveBack();
    await this.ports.faultPoint('tool_finished');
    await this.ends.settle(call, ended);
    return 'ack';
  }
}

function failed(error: ErrorDetail): ToolResult {
  return { status: 'failure', error };
}

function ackIf(hasEnded: boolean): DeliveryOutcome | undefined {
  return hasEnded ? 'ack' : undefined;
}

/** Never settled: the delivery goes to another worker when the connection closes. */
function giveBack(): Promise<never> {
  return new Promise<never>(() => {});
}
