import { LRUCache } from 'lru-cache';
import {
  MAX_QUESTIONS,
  type ArtifactReference,
  type Body,
  type CallTicket,
  type LedgerAnswers,
  type Outcome,
  type ToolResult,
} from '#contracts';
import type { KnownSwitches, Ports } from '#journal';
import { OneByOne } from '#limits';
import type { WorkerGroup } from '#messaging';
import { MAX_INLINE_BYTES, toToolResult } from '#tools';
import { attemptsOf, inputId, mayRunAgain, toolsetOf } from '#turn';
import { CallOutput } from '../output/call-output.js';
import type { BoundedResult, Claimed, WorkerCall } from '../port/call-ledger.port.js';
import { StoreLedger } from '../store-ledger/store-ledger.js';
import type { CallTokens } from '../token/call-tokens.js';
import { CallArtifacts } from './call-artifacts.js';
import { LedgerCalls } from './ledger-calls.js';
import { OwnedAttempts } from './owned-attempts.js';
import { refuseToolset } from './refuse-toolset.js';

/** A worker states when its call ended; a time that is further away is not believed. */
const MAX_TIME_ERROR_MS = 60_000;
const MAX_PROGRESSED = 20_000;
const MAX_PROBLEM_LENGTH = 2_000;
const GONE = 'The call is gone with its conversation.';
const ENDED = 'The call has ended.';

export interface CallVerbsOptions {
  /** Whose store and bus serve the workers. */
  ports: Ports;
  tokens: CallTokens;
  calls: LedgerCalls;
  switches: Pick<KnownSwitches, 'pauseOf'>;
  /** Bytes of the text of a tool's result; undefined: 32 KiB. */
  outputBytesOf(toolName: string): number | undefined;
  /** A call has ended, as the store has it; its driver is told afterwards. */
  onSettled(stored: Outcome): void;
}

export type Answer = Partial<LedgerAnswers>;
/** Why a request is not served. */
export type Refused = { refused: string };

/** What a worker asks about a call, with the call and the ledger that acts in its name. */
interface Asked {
  call: WorkerCall;
  ledger: StoreLedger;
}

/** Serves what workers ask about calls that they were sent: by the same rules as a worker with the store. */
export class CallVerbs {
  private readonly calls: LedgerCalls;
  private readonly attempts: OwnedAttempts;
  private readonly artifacts: CallArtifacts;
  private readonly progressed = new LRUCache<string, number>({ max: MAX_PROGRESSED });
  private readonly asking = new OneByOne();

  constructor(private readonly options: CallVerbsOptions) {
    this.calls = options.calls;
    this.attempts = new OwnedAttempts(options.ports.store);
    this.artifacts = new CallArtifacts(options.ports);
  }

  /** Why this worker's group may not ask about the call; undefined if it may. */
  refusalOf(ticket: CallTicket, { name, toolsets }: WorkerGroup): string | undefined {
    if (!this.options.tokens.isValid(ticket)) return 'The token of the call is not valid.';
    if (!toolsets.includes(toolsetOf(ticket.tool_name)))
      return refuseToolset(toolsetOf(ticket.tool_name), name);
    return undefined;
  }

  /**
   * Copies of a request may be served in any order, by several orchestrators, and the worker follows the first answer.
   * So a claim decides nothing but itself.
   */
  async claim(body: Body<'ledger.claim'>): Promise<Answer | Refused> {
    const { worker, call: ticket, attempt, evidence, request_id } = body;
    if (attempt > 1 && (!mayRunAgain(ticket.class) || attempt > attemptsOf(ticket)))
      return { refused: 'The call must not be started again.' };
    const asked = await this.find(worker, ticket);
    if (!asked) return { claim: { claimed: 'elsewhere' } };
    const call = { ...asked.call, nonce: request_id };
    if (attempt > 1)
      return { claim: this.noteClaim(worker, asked, await asked.ledger.claimNext(call, attempt, evidence)) };
    const { won, row } = await asked.ledger.claimFirst(call);
    if (!won) return { claim: { claimed: 'lost' } };
    const pause = this.options.switches.pauseOf(ticket.tool_name);
    const mine = { mine: row };
    return { claim: { ...this.noteClaim(worker, asked, mine, pause === undefined), pause } };
  }

  async judge({ worker, call: ticket }: Body<'ledger.judge'>): Promise<Answer> {
    const asked = await this.find(worker, ticket);
    const judged = await asked?.ledger.judgeLostClaim(asked.call);
    return { judge: judged === undefined || judged === 'elsewhere' ? {} : judged };
  }

  async settle(body: Body<'ledger.settle'>): Promise<Answer | Refused> {
    const { worker, call: ticket, attempt, duration_ms: durationMs, result, artifacts, traceparent } = body;
    if (!(await this.attempts.isOf(ticket.tool_call_id, attempt, worker)))
      return { refused: 'The attempt is not this worker’s.' };
    const asked = await this.find(worker, ticket);
    if (asked) {
      const bounded = await this.bound(asked, result, artifacts);
      const ran = { attempt, durationMs, result: bounded, traceparent, at: this.timeOf(body.at) };
      await asked.ledger.settle(asked.call, ran);
    }
    this.calls.forget(ticket);
    return {};
  }

  async refuse(body: Body<'ledger.refuse'>): Promise<Answer | Refused> {
    const { worker, call: ticket, result, unclaimed } = body;
    if (result.status !== 'failure') return { refused: 'A call that does not start has failed.' };
    const asked = await this.find(worker, ticket);
    if (!asked) return { refuse: { ended: true } };
    const bounded = await this.bound(asked, result);
    const ended = unclaimed
      ? await asked.ledger.refuseUnclaimed(asked.call, bounded)
      : await asked.ledger.refuse(asked.call, bounded);
    return { refuse: { ended } };
  }

  async standBack(body: Body<'ledger.stand_back'>): Promise<Answer | Refused> {
    const { worker, call: ticket, attempt, first, has_run: hasRun, never_started: neverStarted } = body;
    if (!(await this.attempts.isOf(ticket.tool_call_id, attempt, worker)))
      return { refused: 'The attempt is not this worker’s.' };
    const asked = await this.find(worker, ticket);
    if (!asked) return { stand_back: { started: hasRun } };
    return { stand_back: await asked.ledger.standBack(asked.call, { attempt, first, hasRun, neverStarted }) };
  }

  /** One question of a call at a time: each looks for a free number. */
  ask(body: Body<'ledger.ask'>): Promise<Answer | Refused> {
    return this.asking.run(body.call.tool_call_id, () => this.askNext(body));
  }

  private async askNext(body: Body<'ledger.ask'>): Promise<Answer | Refused> {
    const { worker, call: ticket, message, schema, among, after, expire_ms: expireMs } = body;
    const { store } = this.options.ports;
    const lastId = inputId(ticket.tool_call_id, 'question', MAX_QUESTIONS);
    const [asked, outcome, last] = await Promise.all([
      this.find(worker, ticket),
      store.getOutcome(ticket.tool_call_id),
      store.getAnswer(lastId),
    ]);
    if (!asked) return { refused: GONE };
    if (outcome) return { refused: ENDED };
    if (last) return { refused: `A call asks at most ${MAX_QUESTIONS} questions.` };
    const { number, expiresAt, answer } = await asked.ledger.ask(
      asked.call,
      { message, schema, ...(among && { among }) },
      { after, expireMs },
    );
    return { ask: { number, expires_at: new Date(expiresAt).toISOString(), answer } };
  }

  async reply({ worker, call: ticket, number, give_up }: Body<'ledger.reply'>): Promise<Answer | Refused> {
    const question = inputId(ticket.tool_call_id, 'question', number);
    const [asked, isAsked] = await Promise.all([
      this.find(worker, ticket),
      this.options.ports.store.getAnswer(question),
    ]);
    if (!asked) return { refused: GONE };
    if (!isAsked) return { refused: 'The call has asked no such question.' };
    const { ledger, call } = asked;
    const answer = await (give_up ? ledger.giveUpAsking(call, number) : ledger.answerOf(call, number));
    return { reply: { answer } };
  }

  async artifact(body: Body<'ledger.artifact'>): Promise<Answer | Refused> {
    const added = await this.artifacts.add(body);
    if (!('row' in added)) return 'refused' in added ? added : { artifact: added };
    const asked = await this.find(body.worker, body.call);
    await asked?.ledger.putArtifact(asked.call, added.row);
    return { artifact: { next: body.parts } };
  }

  /** A number that was seen before is not told again. */
  async progress({ worker, call: ticket, number, ...progress }: Body<'ledger.progress'>): Promise<void> {
    const key = `${worker} ${ticket.tool_call_id}`;
    if (number <= (this.progressed.get(key) ?? 0)) return;
    this.progressed.set(key, number);
    const asked = await this.find(worker, ticket);
    const { progress: value, total, message, log } = progress;
    asked?.ledger.progress(asked.call, { progress: value, total, message, log });
  }

  /** In the name of the worker: its rows are those that the worker would write. */
  ledgerOf(worker: string): StoreLedger {
    const { ports, switches, onSettled } = this.options;
    return new StoreLedger({ ...ports, me: worker }, (toolName) => switches.pauseOf(toolName), onSettled);
  }

  private async find(worker: string, ticket: CallTicket): Promise<Asked | undefined> {
    const call = await this.calls.find(ticket);
    return call && { call, ledger: this.ledgerOf(worker) };
  }

  /** A worker bounds its results itself; one that does not must not flood the model's context. */
  private async bound(
    { call, ledger }: Asked,
    { output_problem, ...given }: ToolResult,
    artifacts: ArtifactReference[] = [],
  ): Promise<BoundedResult> {
    const result = { ...toToolResult(given), output_problem: output_problem?.slice(0, MAX_PROBLEM_LENGTH) };
    // The worker has added their ids to a result that it had bounded.
    const named = Buffer.byteLength(JSON.stringify({ artifacts: artifacts.map(({ id }) => id) }));
    const maxBytes = (this.options.outputBytesOf(call.body.tool_name) ?? MAX_INLINE_BYTES) + named;
    const output = new CallOutput({ ledger, clock: this.options.ports.clock }, call, maxBytes);
    const { artifacts: whole = [], ...bounded } = await output.bound(result);
    const kept = [...artifacts, ...whole];
    return kept.length === 0 ? bounded : { ...bounded, artifacts: kept };
  }

  private noteClaim(
    worker: string,
    { call, ledger }: Asked,
    claimed: Claimed,
    starts = true,
  ): LedgerAnswers['claim'] {
    if (claimed === 'elsewhere') return { claimed };
    const { tool_call_id } = call.body;
    if ('stopped' in claimed) {
      this.attempts.note(tool_call_id, claimed.stopped, worker);
      return { claimed: 'stopped' };
    }
    const claim = claimed.mine;
    this.attempts.note(tool_call_id, claim.n, worker);
    if (starts) ledger.start(call, claim);
    return { claimed: 'mine', claim };
  }

  private timeOf(at: string): string | undefined {
    const isNear = Math.abs(Date.parse(at) - this.options.ports.clock.wall()) <= MAX_TIME_ERROR_MS;
    return isNear ? at : undefined;
  }
}
