import type { Claim, Outcome, ToolCallBody } from '#contracts';
import type { CallLabel, Ports } from '#journal';
import { failure, type ToolConnectionLostError } from '#tools';
import { attemptsOf, decideLostConnection, mayHaveRun, toolsetOf } from '#turn';
import { timestampOf } from '#time';
import { inSpan, turnAttributes } from '#tracing';
import type { HostedTool } from '../offer/hosted-tools.js';
import { claimNext, outcomeRow } from './call-claims.js';
import type { ActiveCall } from './active-call.js';
import { CallOutput } from './call-output.js';
import type { OutputChecks } from './output-checks.js';
import { CallQuestions, type QuestionTimes } from './call-questions.js';
import type { StoppedClaims } from './stopped-claims.js';
import { runAttempt, runWhenReached, type Ran } from './run-attempt.js';

export interface AttemptedCall {
  body: ToolCallBody;
  label: CallLabel;
  hosted: HostedTool;
  hand: ActiveCall;
}

export interface AttemptOptions {
  questionTimes: QuestionTimes;
  isLeaving: () => boolean;
  stoppedClaims: StoppedClaims;
  outputChecks: Pick<OutputChecks, 'note'>;
}

/** `elsewhere`: another worker settles it; `given_back`: this worker leaves, and another one may run it. */
export type AttemptsEnd = Outcome | 'elsewhere' | 'given_back';

/** Runs one call under this worker's claims: the first one, and one after each broken connection. */
export class CallAttempts {
  constructor(
    private readonly ports: Ports,
    private readonly call: AttemptedCall,
    private readonly options: AttemptOptions,
  ) {}

  /** Runs the call, and again under a new claim when the tool's own connection broke and its class allows it. */
  async run(first: Claim): Promise<AttemptsEnd> {
    const { body, hosted, hand } = this.call;
    const { clock } = this.ports;
    for (let claim = first; ;) {
      await this.ports.faultPoint('call_claimed');
      if (hand.stop.aborted) {
        const claims = { attempt: claim.n, first: first.n, hasRun: claim !== first };
        return this.options.stoppedClaims.outcomeOf(body, claims);
      }
      const startedAt = clock.now();
      this.emitStart(claim);
      const output = new CallOutput(this.ports, body, hosted.outputBytes);
      const { n } = claim;
      const ran = await this.inSpan(n, (traceparent) => {
        const runOnce = () => this.runOnce(n, output, traceparent);
        if (claim === first) return runOnce();
        return runWhenReached(runOnce, hand.stop, { clock, hold: hand.hold });
      });
      const run = { attempt: n, durationMs: Math.round(clock.now() - startedAt) };
      if ('result' in ran) {
        const result = hosted.definition.output_schema
          ? await this.options.outputChecks.note(hosted, body, ran.result)
          : ran.result;
        return outcomeRow(this.ports, body, run, await output.bound(result));
      }
      const next = await this.continueAfter(ran.lost, run);
      if (typeof next === 'string' || !('mine' in next)) return next;
      claim = next.mine;
    }
  }

  /** A connection broke and the outcome is unknown: the tool's class decides what follows. */
  private async continueAfter(
    lost: ToolConnectionLostError,
    run: { attempt: number; durationMs: number },
  ): Promise<AttemptsEnd | { mine: Claim }> {
    const { body, hand } = this.call;
    const follows = decideLostConnection({
      class: body.class,
      attempt: run.attempt,
      attempts: attemptsOf(body),
      stopped: hand.stop.aborted || hand.hold.leftMs === 0,
    });
    if (follows === 'unknown')
      return outcomeRow(this.ports, body, run, { status: 'failure', error: mayHaveRun(lost.message) });
    if (follows === 'give_up')
      return outcomeRow(this.ports, body, run, failure('ToolExecutionError', lost.message));
    // Servers often get the signal that ends their worker, too.
    if (this.options.isLeaving()) return 'given_back';
    const next = await claimNext(this.ports, body, run.attempt + 1);
    if (next === 'nothing') return 'elsewhere';
    if ('stopped' in next) {
      const claims = { attempt: next.stopped, first: run.attempt, hasRun: true };
      return this.options.stoppedClaims.outcomeOf(body, claims);
    }
    return 'outcome' in next ? next.outcome : next;
  }

  /** One run of the tool as its trace shows it (docs/operations.md, "Traces"). */
  private inSpan(attempt: number, run: (traceparent: string | undefined) => Promise<Ran>): Promise<Ran> {
    const { body, label, hand } = this.call;
    const { traceparent: parent } = hand.sent;
    const attributes = {
      ...turnAttributes(body),
      'switchyard.process.id': this.ports.me,
      'switchyard.claim.attempt': attempt,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': body.tool_name,
      'gen_ai.tool.call.id': body.tool_call_id,
      'gen_ai.tool.type': label.source === 'mcp' ? 'extension' : 'function',
    };
    const options = { kind: 'consumer', parent, attributes } as const;
    return inSpan(`execute_tool ${body.tool_name}`, options, async (span) => {
      hand.ranAs = span.traceparent ?? parent;
      const ran = await run(hand.ranAs);
      const failed = 'lost' in ran ? 'connection_lost' : ran.result.error?.error_type;
      if (failed !== undefined) span.fail(failed);
      return ran;
    });
  }

  private async runOnce(attempt: number, output: CallOutput, traceparent: string | undefined): Promise<Ran> {
    const { body, hosted, hand } = this.call;
    const { conversation_id, turn_id, tool_call_id, n: step } = body;
    const { stop, hold } = hand;
    const questions = new CallQuestions(this.ports, body, hand, this.options.questionTimes);
    const running = runAttempt(hosted.tool, body, {
      attempt,
      traceparent,
      clock: this.ports.clock,
      stop,
      hold,
      attach: (attachment) => output.attach(attachment),
      ask: (question, { signal } = {}) => questions.ask(question, signal),
      onProgress: (progress, total, message, log) => {
        const timestamp = timestampOf(this.ports.clock);
        const place = { conversation_id, turn_id, tool_call_id, step, timestamp };
        this.ports.bus.emit({ type: 'tool_progress', ...place, progress, total, message, log });
      },
    });
    return running.finally(() => questions.end());
  }

  private emitStart(claim: Claim): void {
    const { body, label } = this.call;
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
}
