import { newMessage, type Artifact, type Body, type Claim, type Outcome, type ToolResult } from '#contracts';
import { compete, settle, type KnownSwitches, type Ports } from '#journal';
import { timestampOf } from '#time';
import { settleClaim, toolsetOf } from '#turn';
import type {
  CallLedger,
  CallProgress,
  Claimed,
  HeldClaims,
  Question,
  Ran,
  WorkerCall,
} from '../port/call-ledger.port.js';
import {
  claimFirst,
  claimNext,
  judgeLostClaim,
  outcomeRow,
  pausedAfterClaim,
  type NextAttempt,
} from './call-claims.js';
import { hintResult } from './hint-result.js';
import { askQuestion, giveUpAsking, readAnswer } from './questions.js';
import { cancelClaimed, endStopped } from './stopped-calls.js';

/** The ledger of the worker `ports.me`, by a process that has the store. */
export class StoreLedger implements CallLedger {
  constructor(
    private readonly ports: Ports,
    private readonly pauseOf: KnownSwitches['pauseOf'],
    /** Before the driver of the call is told. */
    private readonly onSettled?: (stored: Outcome) => void,
  ) {}

  async claim(call: WorkerCall): Promise<{ mine: Claim } | 'elsewhere' | 'lost'> {
    const { won, row } = await this.claimFirst(call);
    if (!won) return 'lost';
    // A process that was frozen learns of a pause only while it waits for this claim.
    const pause = this.pauseOf(call.body.tool_name);
    if (!pause) return { mine: row };
    await this.end(call, pausedAfterClaim(this.ports, call.body, pause));
    return 'elsewhere';
  }

  async claimAgain(call: WorkerCall): Promise<Claimed> {
    const judged = await this.judgeLostClaim(call);
    return judged === 'elsewhere' ? judged : this.claimNext(call, judged.attempt, judged.evidence);
  }

  async claimNext(call: WorkerCall, attempt: number, evidence?: Claim['evidence']): Promise<Claimed> {
    const result = await claimNext(this.ports, call, { attempt, evidence });
    if (result === 'nothing') return 'elsewhere';
    if (!('outcome' in result)) return result;
    await hintResult(this.ports, call.body, result.outcome);
    return 'elsewhere';
  }

  /** Attempt 1 without a look at pauses. */
  claimFirst(call: WorkerCall) {
    return claimFirst(this.ports, call);
  }

  /** The attempt that may be claimed after a lost one. A call that has ended is told to its driver. */
  async judgeLostClaim(call: WorkerCall): Promise<NextAttempt | 'elsewhere'> {
    const judged = await judgeLostClaim(this.ports, call, this.pauseOf);
    if (judged === 'nothing') return 'elsewhere';
    if ('next' in judged) return judged.next;
    await hintResult(this.ports, call.body, judged.outcome);
    return 'elsewhere';
  }

  start({ body, label }: WorkerCall, claim: Claim): void {
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

  progress({ body }: WorkerCall, progress: CallProgress): void {
    const { conversation_id, turn_id, tool_call_id, n: step } = body;
    const place = { conversation_id, turn_id, tool_call_id, step, timestamp: timestampOf(this.ports.clock) };
    this.ports.bus.emit({ type: 'tool_progress', ...place, ...progress });
  }

  settle(call: WorkerCall, ran: Ran): Promise<void> {
    return this.end(call, outcomeRow(this.ports, call.body, ran), ran.traceparent);
  }

  async refuse({ body, label }: WorkerCall, result: ToolResult): Promise<boolean> {
    const refusal = this.refusalOf(body, result);
    const { outcome } = await compete(this.ports, { ...label, tool_call_id: body.tool_call_id }, refusal);
    if (outcome) await hintResult(this.ports, body, outcome);
    return outcome !== undefined;
  }

  async refuseUnclaimed(call: WorkerCall, result: ToolResult): Promise<boolean> {
    const refusal = this.refusalOf(call.body, result);
    const { won } = await this.ports.store.claim(settleClaim(refusal, this.ports.me));
    if (won) await this.end(call, refusal);
    return won;
  }

  async standBack(call: WorkerCall, held: HeldClaims): Promise<{ started: boolean }> {
    const { started, outcome } = await endStopped(this.ports, call, held);
    if (outcome) await this.end(call, outcome);
    return { started };
  }

  cancel(told: Body<'tool.cancel'>, mine: { started: boolean }): Promise<void> {
    return cancelClaimed(this.ports, told, mine);
  }

  async passOn({ body, traceparent }: WorkerCall): Promise<void> {
    const message = newMessage(this.ports, 'tool.call', body, traceparent);
    await this.ports.bus.publish(`tools.${toolsetOf(body.tool_name)}`, message);
  }

  ask({ body }: WorkerCall, question: Question, place: { after: number; expireMs: number }) {
    return askQuestion(this.ports, body, question, place);
  }

  answerOf({ body }: WorkerCall, number: number) {
    return readAnswer(this.ports, body, number);
  }

  giveUpAsking({ body }: WorkerCall, number: number) {
    return giveUpAsking(this.ports, body, number);
  }

  putArtifact(_call: WorkerCall, artifact: Artifact): Promise<void> {
    return this.ports.store.putArtifact(artifact);
  }

  private async end({ body, label }: WorkerCall, outcome: Outcome, traceparent?: string): Promise<void> {
    const stands = await settle(this.ports, label, outcome);
    this.onSettled?.(stands);
    await hintResult(this.ports, body, stands, traceparent);
  }

  private refusalOf(body: WorkerCall['body'], result: ToolResult): Outcome {
    return outcomeRow(this.ports, body, { attempt: 0, durationMs: 0, result });
  }
}
