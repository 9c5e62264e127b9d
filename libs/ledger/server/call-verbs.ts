import { LRUCache } from 'lru-cache';
import type { ArtifactReference, Body, CallTicket, LedgerAnswers, ToolResult } from '#contracts';
import type { KnownSwitches, Ports } from '#journal';
import type { WorkerGroup } from '#messaging';
import { makeArtifact, MAX_INLINE_BYTES, toToolResult } from '#tools';
import { timestampOf } from '#time';
import { attemptsOf, mayRunAgain, toolsetOf } from '#turn';
import { CallOutput } from '../output/call-output.js';
import type { BoundedResult, Claimed, WorkerCall } from '../port/call-ledger.port.js';
import { StoreLedger } from '../store-ledger/store-ledger.js';
import type { CallTokens } from '../token/call-tokens.js';
import { ArtifactParts } from './artifact-parts.js';
import { LedgerCalls } from './ledger-calls.js';
import { OwnedAttempts } from './owned-attempts.js';

/** A worker states when its call ended; a time that is further away is not believed. */
const MAX_TIME_ERROR_MS = 60_000;
const MAX_PROGRESSED = 20_000;
const MAX_PROBLEM_LENGTH = 2_000;

export interface CallVerbsOptions {
  /** Whose store and bus serve the workers. */
  ports: Ports;
  tokens: CallTokens;
  switches: Pick<KnownSwitches, 'pauseOf'>;
  /** Bytes of the text of a tool's result; undefined: 32 KiB. */
  outputBytesOf(toolName: string): number | undefined;
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
  private readonly parts: ArtifactParts;
  private readonly progressed = new LRUCache<string, number>({ max: MAX_PROGRESSED });

  constructor(private readonly options: CallVerbsOptions) {
    const { store, clock } = options.ports;
    this.calls = new LedgerCalls(store);
    this.attempts = new OwnedAttempts(store);
    this.parts = new ArtifactParts(() => clock.now());
  }

  /** Why this worker's group may not ask about the call; undefined if it may. */
  refusalOf(ticket: CallTicket, { name, toolsets }: WorkerGroup): string | undefined {
    if (!this.options.tokens.isValid(ticket)) return 'The token of the call is not valid.';
    if (!toolsets.includes(toolsetOf(ticket.tool_name)))
      return `Group ${name} does not host ${toolsetOf(ticket.tool_name)}.`;
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

  async refuse({ worker, call: ticket, result, unclaimed }: Body<'ledger.refuse'>): Promise<Answer> {
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

  async ask(body: Body<'ledger.ask'>): Promise<Answer | Refused> {
    const { worker, call: ticket, message, schema, after, expire_ms: expireMs } = body;
    const asked = await this.find(worker, ticket);
    if (!asked) return { refused: 'The call is gone with its conversation.' };
    const { number, expiresAt, answer } = await asked.ledger.ask(
      asked.call,
      { message, schema },
      { after, expireMs },
    );
    return { ask: { number, expires_at: new Date(expiresAt).toISOString(), answer } };
  }

  async reply({ worker, call: ticket, number, give_up }: Body<'ledger.reply'>): Promise<Answer | Refused> {
    const asked = await this.find(worker, ticket);
    if (!asked) return { refused: 'The call is gone with its conversation.' };
    const { ledger, call } = asked;
    const answer = await (give_up ? ledger.giveUpAsking(call, number) : ledger.answerOf(call, number));
    return { reply: { answer } };
  }

  async artifact(body: Body<'ledger.artifact'>): Promise<Answer | Refused> {
    const { worker, call: ticket, artifact, parts } = body;
    const added = this.parts.add(body);
    if ('next' in added) return { artifact: added };
    const asked = await this.find(worker, ticket);
    if (!asked) return { artifact: { next: parts } };
    const { user_id, conversation_id, turn_id, tool_call_id } = ticket;
    const place = { user_id, conversation_id, turn_id, tool_call_id };
    const attachment = { content: added.whole, contentType: artifact.content_type, name: artifact.name };
    const row = makeArtifact(place, attachment, timestampOf(this.options.ports.clock));
    if (row._id !== artifact._id) return { refused: 'The artifact is not what its id says.' };
    await asked.ledger.putArtifact(asked.call, row);
    return { artifact: { next: parts } };
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
    const { ports, switches } = this.options;
    return new StoreLedger({ ...ports, me: worker }, (toolName) => switches.pauseOf(toolName));
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
