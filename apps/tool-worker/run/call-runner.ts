import type { Claim, Outcome, ToolCallBody, ToolResult } from '#contracts';
import { newMessage } from '#contracts';
import { faultPoint } from '#faults';
import { auditedCall, settle, type CallLabel, type Ports } from '#journal';
import type { DeliveryOutcome } from '#messaging';
import { ArgumentValidator, displayName, failure, type Slots, type Tool } from '#tools';
import {
  attemptsOf,
  decideDelivery,
  decideLostConnection,
  mayHaveRun,
  mayRunAgain,
  stoppedBeforeStart,
  toolsetOf,
} from '#turn';
import type { HostedTool, HostedTools } from '../offer/hosted-tools.js';
import { claimAgain, claimFirst, claimNext, outcomeRow, refuse, refuseUnclaimed } from './call-claims.js';
import { CallInHand } from './call-in-hand.js';
import { CallOutput } from './call-output.js';
import { CallQuestions, DEFAULT_QUESTION_TIMES, type QuestionTimes } from './call-questions.js';
import { RateLimits } from './rate-limits.js';
import { runTool, runWhenReached, type Ran } from './run-tool.js';

import type { ToolWorkerDeps } from '../tool-worker.deps.js';

const UNLIMITED = new RateLimits(
  () => undefined,
  () => 1,
);

export interface CallRunnerOptions {
  rates?: RateLimits;
  questionTimes?: Partial<QuestionTimes>;
}

/** Runs the calls of this worker: parse has happened, everything after it happens here (architecture: «a turn», worker). */
export class CallRunner {
  private readonly validator = new ArgumentValidator();
  /** Calls that a delivery is being handled of: a Stop may come before the store has confirmed the claim. */
  private readonly inHand = new Map<string, CallInHand>();
  /** Calls that go on without their delivery, because they have asked a person. */
  private readonly goingOn = new Set<Promise<DeliveryOutcome>>();
  private readonly questionTimes: QuestionTimes;
  private readonly rates: RateLimits;
  private isLeaving = false;

  constructor(
    private readonly ports: Ports,
    private readonly hosted: HostedTools,
    private readonly metrics: ToolWorkerDeps['metrics'],
    { rates = UNLIMITED, questionTimes = {} }: CallRunnerOptions = {},
  ) {
    this.rates = rates;
    this.questionTimes = { ...DEFAULT_QUESTION_TIMES, ...questionTimes };
  }

  /** Tells a call to stop; a call that is not here is none of this worker's. */
  cancel(toolCallId: string): void {
    this.inHand.get(toolCallId)?.cancel();
  }

  /** Tells a call that somebody has answered what it asks. */
  answered(toolCallId: string): void {
    this.inHand.get(toolCallId)?.tell();
  }

  /**
   * The worker leaves: a call whose connection breaks now runs again elsewhere, if it may. One that may not, and
   * waits for a person, goes on without the answer, so that it ends in its own words instead of as unknown.
   */
  leave(): void {
    this.isLeaving = true;
    for (const hand of this.inHand.values()) if (!hand.mayRunAgain) hand.giveUpAsking();
  }

  /** Resolves when no call goes on without its delivery that would be lost with this worker. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.goingOn);
  }

  /**
   * One `tool.call`, from delivery to ack. Of two copies the second is done with: two claims of one process made in
   * the same millisecond are the same row, so both could take the one that stands for theirs.
   */
  async handle(body: ToolCallBody, slots: Slots): Promise<DeliveryOutcome> {
    const { tool_call_id } = body;
    if (this.inHand.has(tool_call_id)) return 'ack';
    const hand = new CallInHand(mayRunAgain(body.class));
    this.inHand.set(tool_call_id, hand);
    const handling = this.handleOnce(body, slots, hand).finally(() => this.inHand.delete(tool_call_id));
    return Promise.race([handling, hand.asked.then(() => this.letGo(handling, body, hand))]);
  }

  /** A person may take longer than a delivery may be held: acknowledged now, the call goes on. */
  private letGo(handling: Promise<DeliveryOutcome>, body: ToolCallBody, hand: CallInHand): DeliveryOutcome {
    const { tool_call_id, turn_id } = body;
    handling.catch((error: unknown) =>
      this.ports.log.error({ err: error, tool_call_id, turn_id }, 'a call that had asked a person failed'),
    );
    if (!hand.mayRunAgain) {
      this.goingOn.add(handling);
      void handling.finally(() => this.goingOn.delete(handling)).catch(() => undefined);
    }
    return 'ack';
  }

  private async handleOnce(body: ToolCallBody, slots: Slots, hand: CallInHand): Promise<DeliveryOutcome> {
    const delivered = decideDelivery(Date.parse(body.deadline), Date.now());
    if (delivered.do === 'drop') return 'ack';
    const hosted = this.hosted.find(body.tool_name);
    if (!hosted) return this.leaveUnknown(body.tool_name);
    const label = labelOf(hosted, body);
    const invalid = this.validator.validate(hosted.definition.input_schema, body.arguments);
    if (invalid) return (await this.refuse(body, label, { status: 'failure', error: invalid })) ?? 'ack';
    const first = await (delivered.do === 'refuse'
      ? this.refuse(body, label, { status: 'failure', error: delivered.error })
      : slots.use((slot) => this.claimAndRun(body, label, hand.runIn(slot))));
    if (first) return first;
    // Asking after another worker takes time and no slot.
    const again = await claimAgain(this.ports, body, label);
    if (again === 'nothing') return 'ack';
    if ('outcome' in again) return this.hintResult(body, again.outcome);
    this.rates.count(body.tool_name);
    return slots.use((slot) => this.run(hosted.tool, body, label, again.mine, hand.runIn(slot)));
  }

  /** Undefined when somebody else has claimed the call before. */
  private async claimAndRun(
    body: ToolCallBody,
    label: CallLabel,
    hand: CallInHand,
  ): Promise<DeliveryOutcome | undefined> {
    // Waiting for a slot takes time: meanwhile this worker may have begun to leave, or the server gone away.
    if (this.isLeaving) return giveBack();
    // Not claimed, so who drives the turn sends it again.
    if (hand.hold.leftMs === 0) return 'ack';
    const hosted = this.hosted.find(body.tool_name);
    if (!hosted) return this.leaveUnknown(body.tool_name);
    await faultPoint('call_received');
    const waitMs = this.rates.take(body.tool_name);
    if (waitMs !== undefined) return this.refuseForNow(body, label, waitMs);
    const { won, row } = await claimFirst(this.ports, body);
    if (won) return this.run(hosted.tool, body, label, row, hand);
    this.rates.giveBack(body.tool_name);
    return undefined;
  }

  /** Undefined when somebody else has claimed the call before: then no limit of ours ends it. */
  private async refuseForNow(
    body: ToolCallBody,
    label: CallLabel,
    retryAfterMs: number,
  ): Promise<DeliveryOutcome | undefined> {
    const text = `Too many calls of ${body.tool_name} now. Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`;
    const result = failure('ApiLimitExceeded', text, { retry_after_ms: retryAfterMs, started: false });
    const refusal = outcomeRow(this.ports, body, { attempt: 0, durationMs: 0 }, result);
    const outcome = await refuseUnclaimed(this.ports, label, refusal);
    if (!outcome) return undefined;
    this.metrics.toolRateRefusals.inc({ toolset: toolsetOf(body.tool_name) });
    this.count(outcome, body);
    return this.hintResult(body, outcome);
  }

  /**
   * A tool of a toolset that is hosted here is away with its server: who drives the turn sends the call again when
   * somebody has it, or gives it up when nobody does. Anything else is somebody's mistake.
   */
  private leaveUnknown(toolName: string): DeliveryOutcome {
    return this.hosted.hosts(toolsetOf(toolName)) ? 'ack' : { reject: `this worker has no tool ${toolName}` };
  }

  /** Undefined when somebody has claimed the call to run it. */
  private async refuse(
    body: ToolCallBody,
    label: CallLabel,
    result: ToolResult,
  ): Promise<DeliveryOutcome | undefined> {
    const refusal = outcomeRow(this.ports, body, { attempt: 0, durationMs: 0 }, result);
    const outcome = await refuse(this.ports, body, label, refusal);
    if (!outcome) return undefined;
    this.count(outcome, body);
    return this.hintResult(body, outcome);
  }

  private async run(
    tool: Tool,
    body: ToolCallBody,
    label: CallLabel,
    claim: Claim,
    hand: CallInHand,
  ): Promise<DeliveryOutcome> {
    const outcome = await this.runToEnd(tool, body, label, claim, hand);
    if (outcome === 'elsewhere') return 'ack';
    if (outcome === 'given_back') return giveBack();
    await faultPoint('tool_finished');
    const stands = await settle(this.ports, label, outcome);
    this.count(outcome, body);
    return this.hintResult(body, stands);
  }

  private count(outcome: Outcome, body: ToolCallBody): void {
    const toolset = toolsetOf(body.tool_name);
    this.metrics.toolCalls.inc({ toolset, outcome: outcome.error?.error_type ?? outcome.status });
    if (outcome.attempt > 0) this.metrics.toolCallDuration.observe({ toolset }, outcome.duration_ms / 1000);
  }

  /** Runs, and runs again under a next claim when the tool's own connection broke and its class allows it. */
  private async runToEnd(
    tool: Tool,
    body: ToolCallBody,
    label: CallLabel,
    first: Claim,
    hand: CallInHand,
  ): Promise<Outcome | 'elsewhere' | 'given_back'> {
    const { stop, hold } = hand;
    for (let claim = first; ;) {
      await faultPoint('call_claimed');
      if (stop.aborted) {
        const unstarted = { attempt: claim.n, durationMs: 0 };
        const error = stoppedBeforeStart(claim.n);
        return outcomeRow(this.ports, body, unstarted, { status: 'failure', error });
      }
      const startedAt = performance.now();
      this.emitStart(body, label, claim);
      const { n } = claim;
      const output = new CallOutput(this.ports.store, body, this.hosted.find(body.tool_name)?.outputBytes);
      const runOnce = () => this.runOnce(tool, body, { attempt: n, output, hand });
      const ran = await (claim === first ? runOnce() : runWhenReached(runOnce, stop, hold));
      const run = { attempt: claim.n, durationMs: Math.round(performance.now() - startedAt) };
      if ('result' in ran) return outcomeRow(this.ports, body, run, await output.bound(ran.result));
      const follows = decideLostConnection({
        class: body.class,
        attempt: claim.n,
        attempts: attemptsOf(body),
        stopped: stop.aborted || hold.leftMs === 0,
      });
      if (follows === 'unknown') {
        const error = mayHaveRun(ran.lost.message);
        return outcomeRow(this.ports, body, run, { status: 'failure', error });
      }
      if (follows === 'give_up') {
        return outcomeRow(this.ports, body, run, failure('ToolExecutionError', ran.lost.message));
      }
      // Servers often get the signal that ends their worker, too.
      if (this.isLeaving) return 'given_back';
      const next = await claimNext(this.ports, body, label, claim.n + 1);
      if (next === 'nothing') return 'elsewhere';
      if ('outcome' in next) return next.outcome;
      claim = next.mine;
    }
  }

  private async runOnce(
    tool: Tool,
    body: ToolCallBody,
    { attempt, output, hand }: { attempt: number; output: CallOutput; hand: CallInHand },
  ): Promise<Ran> {
    const { conversation_id, turn_id, tool_call_id, n: step } = body;
    const { stop, hold } = hand;
    const questions = new CallQuestions(this.ports, body, hand, this.questionTimes);
    const running = runTool(tool, body, {
      attempt,
      stop,
      hold,
      attach: (attachment) => output.attach(attachment),
      ask: (question, { signal } = {}) => questions.ask(question, signal),
      onProgress: (progress, total, message) => {
        const timestamp = new Date().toISOString();
        const place = { conversation_id, turn_id, tool_call_id, step, timestamp };
        this.ports.bus.emit({ type: 'tool_progress', ...place, progress, total, message });
      },
    });
    return running.finally(() => questions.end());
  }

  private emitStart(body: ToolCallBody, label: CallLabel, claim: Claim): void {
    const { tool_name, display_name, source } = label;
    this.ports.bus.emit({
      type: 'tool_start',
      conversation_id: body.conversation_id,
      turn_id: body.turn_id,
      timestamp: claim.at,
      step: body.n,
      tool_call_id: body.tool_call_id,
      tool_name,
      display_name,
      source,
      tool_input: JSON.stringify(body.arguments),
      tool_args: body.arguments,
      toolset: toolsetOf(body.tool_name),
      attempt: claim.n,
    });
  }

  /** To the orchestrator that dispatched the call; if it is gone, to any. */
  private async hintResult(body: ToolCallBody, outcome: Outcome): Promise<DeliveryOutcome> {
    const { status, data, error, explanation, duration_ms, worker } = outcome;
    const { tool_call_id, turn_id } = body;
    const message = newMessage('tool.result', {
      tool_call_id,
      turn_id,
      status,
      data,
      error,
      explanation,
      duration_ms,
      worker,
    });
    const sent = await this.ports.bus.send(body.reply_to, message);
    if (sent !== 'confirmed') await this.ports.bus.publish('results', message);
    await faultPoint('result_hinted');
    return 'ack';
  }
}

/** Never settled: the delivery goes to another worker when the connection closes. */
function giveBack(): Promise<never> {
  return new Promise<never>(() => {});
}

function labelOf({ definition, host }: HostedTool, body: ToolCallBody): CallLabel {
  const { name: toolset, source, server, version } = host;
  const label = displayName({ own_name: definition.own_name, toolset, source, server }, []);
  const audited = auditedCall(body.user_id, body.arguments, version);
  return { tool_name: definition.name, display_name: label, source, audited };
}
