import { LRUCache } from 'lru-cache';
import {
  callTicketSchema,
  completeResult,
  type Answer,
  type Artifact,
  type Body,
  type CallTicket,
  type Claim,
  type LedgerAnswered,
  type LedgerAnswers,
  type Switch,
  type ToolResult,
} from '#contracts';
import type { Ports } from '#journal';
import { timestampOf } from '#time';
import { decideDelivery, pausedDetail } from '#turn';
import type {
  AskedQuestion,
  CallLedger,
  CallProgress,
  Claimed,
  HeldClaims,
  Question,
  Ran,
  WorkerCall,
} from '../port/call-ledger.port.js';
import { sendArtifact } from './send-artifact.js';
import { LedgerRefusal, type LedgerLine } from './ledger-line.js';

/** Calls in hand are far fewer; of a forgotten one any orchestrator is asked. */
const MAX_SERVERS = 10_000;

export interface RemoteLedgerOptions {
  line: LedgerLine;
  clock: Ports['clock'];
  /** Resolves when the others know that this worker lives: before, it claims nothing. */
  beKnown(): Promise<unknown>;
}

/** The ledger of a worker without the store: orchestrators do for it what it asks. */
export class RemoteLedger implements CallLedger {
  /** Control keys of the orchestrators that served claims, by call. */
  private readonly servers = new LRUCache<string, string>({ max: MAX_SERVERS });
  private readonly progressed = new LRUCache<string, number>({ max: MAX_SERVERS });

  constructor(private readonly options: RemoteLedgerOptions) {}

  async claim(call: WorkerCall) {
    await this.options.beKnown();
    const claimed = await this.claimAttempt(call, 1);
    if (claimed === 'lost' || claimed === 'elsewhere') return claimed;
    return 'mine' in claimed && (await this.mayStart(call, claimed)) ? { mine: claimed.mine } : 'elsewhere';
  }

  async claimAgain(call: WorkerCall): Promise<Claimed> {
    const answer = await this.request(call, 'ledger.judge', {});
    const { attempt, evidence } = given('judge', answer);
    return attempt === undefined ? 'elsewhere' : this.claimNext(call, attempt, evidence);
  }

  async claimNext(call: WorkerCall, attempt: number, evidence?: Claim['evidence']): Promise<Claimed> {
    await this.options.beKnown();
    const claimed = await this.claimAttempt(call, attempt, evidence);
    return claimed === 'lost' ? 'elsewhere' : claimed;
  }

  /** Whoever served the claim tells viewers. */
  start(): void {}

  progress(call: WorkerCall, { progress, total, message, log }: CallProgress): void {
    const id = call.body.tool_call_id;
    const number = (this.progressed.get(id) ?? 0) + 1;
    this.progressed.set(id, number);
    const told = { call: ticketOf(call), number, progress, total, message, log };
    this.options.line.tell('ledger.progress', told, this.about(call));
  }

  async settle(call: WorkerCall, { attempt, durationMs, result, traceparent }: Ran): Promise<void> {
    await this.request(call, 'ledger.settle', {
      attempt,
      duration_ms: durationMs,
      at: timestampOf(this.options.clock),
      result: completeResult(result),
      artifacts: result.artifacts,
      traceparent,
    });
    this.forget(call);
  }

  refuse(call: WorkerCall, result: ToolResult): Promise<boolean> {
    return this.refuseAs(call, result, false);
  }

  refuseUnclaimed(call: WorkerCall, result: ToolResult): Promise<boolean> {
    return this.refuseAs(call, result, true);
  }

  async standBack(call: WorkerCall, held: HeldClaims): Promise<{ started: boolean }> {
    const { attempt, first, hasRun: has_run, neverStarted: never_started } = held;
    const told = { attempt, first, has_run, never_started };
    return given('stand_back', await this.request(call, 'ledger.stand_back', told));
  }

  async cancel(
    { tool_call_id, turn_id, stood_back }: Body<'tool.cancel'>,
    { started }: { started: boolean },
  ) {
    const told = { tool_call_id, turn_id, stood_back, started };
    await this.options.line.ask('ledger.cancel', told, { purpose: 'calls' });
  }

  /** Its rights end at its own queues: the orchestrator that drives the turn sends the call again. */
  async passOn(): Promise<void> {}

  async ask(
    call: WorkerCall,
    { message, schema, among }: Question,
    { after, expireMs: expire_ms }: { after: number; expireMs: number },
  ): Promise<AskedQuestion> {
    const told = { message, schema, among, after, expire_ms };
    const { number, expires_at, answer } = given('ask', await this.request(call, 'ledger.ask', told));
    return { number, expiresAt: Date.parse(expires_at), answer };
  }

  async answerOf(call: WorkerCall, number: number): Promise<Answer | null> {
    const told = { number, give_up: false };
    return given('reply', await this.request(call, 'ledger.reply', told)).answer;
  }

  async giveUpAsking(call: WorkerCall, number: number): Promise<Answer> {
    const told = { number, give_up: true };
    return given('reply', await this.request(call, 'ledger.reply', told)).answer!;
  }

  putArtifact(call: WorkerCall, artifact: Artifact): Promise<void> {
    return sendArtifact(this.options.line, { call: ticketOf(call), artifact, first: this.about(call).first });
  }

  private async claimAttempt(
    call: WorkerCall,
    attempt: number,
    evidence?: Claim['evidence'],
  ): Promise<{ mine: Claim; pause?: Switch } | { stopped: number } | 'elsewhere' | 'lost'> {
    const answer = await this.request(call, 'ledger.claim', { attempt, evidence });
    const { claimed, claim, pause } = given('claim', answer);
    if (claimed === 'stopped') return { stopped: attempt };
    if (claimed !== 'mine') return claimed;
    this.servers.set(call.body.tool_call_id, answer.server);
    return { mine: claim!, pause };
  }

  /** A paused call ends without having started, and so does one whose answer took longer than it may wait. */
  private async mayStart(
    call: WorkerCall,
    { mine: { n: attempt }, pause }: { mine: Claim; pause?: Switch },
  ): Promise<boolean> {
    const { tool_name, deadline } = call.body;
    const now = decideDelivery(Date.parse(deadline), this.options.clock.wall());
    const late = now.do === 'refuse' ? now.error : undefined;
    const error = pause ? pausedDetail(tool_name, pause, { wasClaimed: false }) : late;
    if (!error) return true;
    await this.settle(call, { attempt, durationMs: 0, result: { status: 'failure', error } });
    return false;
  }

  private async refuseAs(call: WorkerCall, result: ToolResult, unclaimed: boolean): Promise<boolean> {
    const told = { result: completeResult(result), unclaimed };
    return given('refuse', await this.request(call, 'ledger.refuse', told)).ended;
  }

  private request<T extends CallRequest>(
    call: WorkerCall,
    type: T,
    told: Omit<Body<T>, 'request_id' | 'worker' | 'call'>,
  ): Promise<LedgerAnswered> {
    const about = { ...told, call: ticketOf(call) } as unknown as Omit<Body<T>, 'request_id' | 'worker'>;
    return this.options.line.ask(type, about, this.about(call));
  }

  private about({ body }: WorkerCall) {
    return { purpose: 'calls' as const, first: this.servers.get(body.tool_call_id) ?? body.reply_to };
  }

  private forget({ body }: WorkerCall): void {
    this.servers.delete(body.tool_call_id);
    this.progressed.delete(body.tool_call_id);
  }
}

type CallRequest =
  | 'ledger.claim'
  | 'ledger.judge'
  | 'ledger.settle'
  | 'ledger.refuse'
  | 'ledger.stand_back'
  | 'ledger.ask'
  | 'ledger.reply';

function given<Verb extends keyof LedgerAnswers>(verb: Verb, answer: LedgerAnswered): LedgerAnswers[Verb] {
  const found = answer[verb] as LedgerAnswers[Verb] | undefined;
  if (!found) throw new TypeError(`the ledger's answer lacks ${verb}`);
  return found;
}

/** Throws `LedgerRefusal` when the call was sent by an orchestrator that knows no group with its toolset. */
function ticketOf({ body }: WorkerCall): CallTicket {
  const ticket = callTicketSchema.safeParse(body);
  if (ticket.success) return ticket.data;
  throw new LedgerRefusal(
    `The call of ${body.tool_name} has no token: name its toolset in a group of the orchestrators' CONFIG.`,
  );
}
