import type { Claim } from '#contracts';
import type { Ports } from '#journal';
import { CallOutput, type CallLedger, type Ran as EndedCall, type WorkerCall } from '#ledger';
import { failure, type ToolConnectionLostError } from '#tools';
import { attemptsOf, decideLostConnection, mayHaveRun } from '#turn';
import { inSpan, turnAttributes } from '#tracing';
import type { HostedTool } from '../offer/hosted-tools.js';
import type { ActiveCall } from './active-call.js';
import type { OutputChecks } from './output-checks.js';
import { CallQuestions, type QuestionTimes } from './call-questions.js';
import type { StoppedClaims } from './stopped-claims.js';
import { runAttempt, runWhenReached, type Ran } from './run-attempt.js';

/** What running calls needs. `me`: this worker's id. */
export type RunPorts = Pick<Ports, 'clock' | 'random' | 'log' | 'me' | 'faultPoint'> & { ledger: CallLedger };

export interface AttemptedCall extends WorkerCall {
  hosted: HostedTool;
  hand: ActiveCall;
}

export interface AttemptOptions {
  questionTimes: QuestionTimes;
  isLeaving: () => boolean;
  stoppedClaims: StoppedClaims;
  outputChecks: Pick<OutputChecks, 'note'>;
}

/**
 * `elsewhere`: it has ended, or another worker settles it; `given_back`: this worker leaves, and another one may run it.
 */
export type AttemptsEnd = EndedCall | 'elsewhere' | 'given_back';

/** Runs one call under this worker's claims: the first one, and one after each broken connection. */
export class CallAttempts {
  constructor(
    private readonly ports: RunPorts,
    private readonly call: AttemptedCall,
    private readonly options: AttemptOptions,
  ) {}

  /** Runs the call, and again under a new claim when the tool's own connection broke and its class allows it. */
  async run(first: Claim): Promise<AttemptsEnd> {
    const { body, hosted, hand } = this.call;
    const { clock, ledger } = this.ports;
    for (let claim = first; ;) {
      await this.ports.faultPoint('call_claimed');
      if (hand.stop.aborted)
        return this.leaveStopped({ attempt: claim.n, first: first.n, hasRun: claim !== first });
      const startedAt = clock.now();
      ledger.start(this.call, claim);
      const output = new CallOutput(this.ports, this.call, hosted.outputBytes);
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
        return { ...run, result: await output.bound(result), traceparent: hand.ranAs };
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
    const traceparent = hand.ranAs;
    if (follows === 'unknown')
      return { ...run, traceparent, result: { status: 'failure', error: mayHaveRun(lost.message) } };
    if (follows === 'give_up')
      return { ...run, traceparent, result: failure('ToolExecutionError', lost.message) };
    // Servers often get the signal that ends their worker, too.
    if (this.options.isLeaving()) return 'given_back';
    const next = await this.ports.ledger.claimNext(this.call, run.attempt + 1);
    if (next === 'elsewhere' || 'mine' in next) return next;
    return this.leaveStopped({ attempt: next.stopped, first: run.attempt, hasRun: true });
  }

  private async leaveStopped(held: Parameters<StoppedClaims['leave']>[1]): Promise<'elsewhere'> {
    await this.options.stoppedClaims.leave(this.call, held);
    return 'elsewhere';
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
    const { stop, hold } = hand;
    const questions = new CallQuestions(this.ports, this.call, hand, this.options.questionTimes);
    const running = runAttempt(hosted.tool, body, {
      attempt,
      traceparent,
      clock: this.ports.clock,
      stop,
      hold,
      attach: (attachment) => output.attach(attachment),
      ask: (question, { signal } = {}) => questions.ask(question, signal),
      onProgress: (progress, total, message, log) =>
        this.ports.ledger.progress(this.call, { progress, total, message, log }),
    });
    return running.finally(() => questions.end());
  }
}
