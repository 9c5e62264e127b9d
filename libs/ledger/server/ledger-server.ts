import { controlKey, groupOf, newMessage, type Body, type LedgerRequestType, type Message } from '#contracts';
import type { Ports } from '#journal';
import type { WorkerGroup } from '#messaging';
import { CallVerbs, type Answer, type CallVerbsOptions, type Refused } from './call-verbs.js';
import type { LedgerMembers } from './ledger-members.js';

/** Requests of one group that are served at once; more are dropped, and repeated by those who asked. */
const MAX_IN_HAND = 1_000;
const FAILED_PAUSE_MS = 1_000;

/** Counters, by the result of a request and by why a message was dropped. */
export interface LedgerMetrics {
  ledgerRequests: { inc(labels: { result: 'served' | 'refused' | 'failed' }): void };
  ledgerDrops: { inc(labels: { reason: 'unknown_group' | 'too_many' }): void };
}

export interface LedgerServerOptions extends CallVerbsOptions {
  groups: readonly WorkerGroup[];
  members: LedgerMembers;
  metrics: LedgerMetrics;
}

type LedgerMessage = Message<LedgerRequestType>;

/**
 * The ledger of the groups of workers without the store. What a group may ask is bounded by its toolsets, by the tokens
 * of the calls that it was sent, and by its own names.
 */
export class LedgerServer {
  private readonly verbs: CallVerbs;
  private readonly members: LedgerMembers;
  private readonly groups: ReadonlyMap<string, WorkerGroup>;
  private readonly inHand = new Map<string, number>();
  private readonly ports: Ports;
  private readonly metrics: LedgerMetrics;

  constructor({ groups, members, metrics, ...options }: LedgerServerOptions) {
    this.verbs = new CallVerbs(options);
    this.members = members;
    this.metrics = metrics;
    this.ports = options.ports;
    this.groups = new Map(groups.map((group) => [group.name, group]));
  }

  /** A request that cannot be served now gets no answer: whoever asks repeats it. Never rejects. */
  async serve(message: LedgerMessage): Promise<void> {
    if (message.type === 'ledger.pulse') return this.quietly(message, () => this.pulse(message));
    const group = this.groups.get(groupOf(message.body.worker) ?? '');
    if (!group) return this.metrics.ledgerDrops.inc({ reason: 'unknown_group' });
    const serving = this.inHand.get(group.name) ?? 0;
    if (serving >= MAX_IN_HAND) return this.metrics.ledgerDrops.inc({ reason: 'too_many' });
    this.inHand.set(group.name, serving + 1);
    await this.quietly(message, () => this.answer(message, group));
    this.inHand.set(group.name, this.inHand.get(group.name)! - 1);
  }

  private async pulse(message: Message<'ledger.pulse'>): Promise<void> {
    await this.members.pulse(message.body);
    this.count('served');
  }

  private async answer(message: LedgerMessage, group: WorkerGroup): Promise<void> {
    if (message.type === 'ledger.progress') {
      const isRefused = this.verbs.refusalOf(message.body.call, group) !== undefined;
      if (!isRefused) await this.verbs.progress(message.body);
      return this.count(isRefused ? 'refused' : 'served');
    }
    const { worker, request_id } = message.body as Body<'ledger.leave'>;
    const given = await this.serveVerb(message, group);
    if ('refused' in given) {
      const about = { worker, verb: message.type, reason: given.refused };
      this.ports.log.warn(about, 'request of a worker refused');
    }
    this.count('refused' in given ? 'refused' : 'served');
    const answer = { request_id, server: controlKey(this.ports.me), ...given };
    await this.ports.bus.send(controlKey(worker), newMessage(this.ports, 'ledger.answered', answer));
  }

  private async serveVerb(message: LedgerMessage, group: WorkerGroup): Promise<Answer | Refused> {
    const { members } = this;
    if (message.type === 'ledger.beat') return members.beat(message.body, group);
    if (message.type === 'ledger.leave') return members.leave(message.body);
    if (message.type === 'ledger.announce') return members.announce(message.body, group);
    if (message.type === 'ledger.unreadable') return { refused: message.body.reason };
    if (message.type === 'ledger.cancel') return this.cancel(message.body, group);
    const { call } = message.body as Body<'ledger.claim'>;
    const refused = this.verbs.refusalOf(call, group);
    return refused === undefined ? this.serveCall(message) : { refused };
  }

  private async serveCall(message: LedgerMessage): Promise<Answer | Refused> {
    const { verbs } = this;
    if (message.type === 'ledger.claim') return verbs.claim(message.body);
    if (message.type === 'ledger.judge') return verbs.judge(message.body);
    if (message.type === 'ledger.settle') return verbs.settle(message.body);
    if (message.type === 'ledger.refuse') return verbs.refuse(message.body);
    if (message.type === 'ledger.stand_back') return verbs.standBack(message.body);
    if (message.type === 'ledger.ask') return verbs.ask(message.body);
    if (message.type === 'ledger.reply') return verbs.reply(message.body);
    if (message.type === 'ledger.artifact') return verbs.artifact(message.body);
    return { refused: `${message.type} is no request.` };
  }

  /** Ends nothing but a stopped call that this worker has claimed. */
  private async cancel(
    { worker, tool_call_id, turn_id, started, stood_back = [] }: Body<'ledger.cancel'>,
    { name }: WorkerGroup,
  ): Promise<Answer> {
    const ofGroup = stood_back.filter((other) => groupOf(other.worker) === name);
    const told = { tool_call_id, turn_id, stood_back: ofGroup };
    await this.verbs.ledgerOf(worker).cancel(told, { started });
    return {};
  }

  private count(result: 'served' | 'refused' | 'failed'): void {
    this.metrics.ledgerRequests.inc({ result });
  }

  private async quietly(message: LedgerMessage, serve: () => Promise<void>): Promise<void> {
    try {
      await serve();
    } catch (error) {
      this.ports.log.warn({ err: error, verb: message.type }, 'serving a worker failed');
      this.count('failed');
      // Meanwhile the next requests go to other orchestrators, which may have the store.
      await this.ports.clock.sleep(FAILED_PAUSE_MS);
    }
  }
}
