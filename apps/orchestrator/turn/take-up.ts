import type { Catalog, CatalogTool, Claim, Journal } from '#contracts';
import { controlKey, newMessage, turnHint } from '#contracts';
import { carryOut, endTurn, situationOf, type Ports } from '#journal';
import { decideCalls, decideTakeUp, endingStep, evidenceOf, holderOf, runClaim, type Liveness } from '#turn';
import { timestampOf } from '#time';
import type { OrchestratorDeps } from '../deps/orchestrator.deps.js';
import type { CatalogueService } from '../catalogue/catalogue.service.js';
import type { RequestImages } from '../ask/request-images.js';
import { TurnMemory } from '../work/turn-memory.js';
import { TurnTrace } from '../work/turn-trace.js';
import type { ConversationAtTakeUp, TurnWork } from '../work/turn-work.js';
import type { History } from './history.js';

/** If taken up, this process drives the turn. Otherwise there is nothing (more) for it to do. */
export type TakenUp = TurnWork | 'nothing_to_do';

/**
 * Handles a hint about a turn that is not driven here (docs/architecture.md, "The life of a turn" and "Claim and
 * settle").
 */
export class TakeUp {
  constructor(
    private readonly deps: OrchestratorDeps,
    private readonly ports: Ports,
    private readonly catalogue: CatalogueService,
    private readonly history: History,
    private readonly images: RequestImages,
  ) {}

  async takeUp(turnId: string, conversationId: string): Promise<TakenUp> {
    const { store } = this.deps;
    const [journal, conversation, unended] = await Promise.all([
      store.readJournal(turnId),
      store.getConversation(conversationId),
      store.listUnendedTurns(conversationId),
    ]);
    if (!journal) return 'nothing_to_do';
    if (endingStep(journal)) {
      await this.endAgain(journal);
      return 'nothing_to_do';
    }
    const earlier = unended.filter((turn) => turn.number < journal.turn.number);
    if (earlier.length > 0 && (await this.hasActive(earlier.map((turn) => turn._id)))) return 'nothing_to_do';
    const isDeleted = conversation?.deleted_at !== undefined;
    // Its content may have been removed before this turn was added; the sweeper looks again.
    if (isDeleted) await store.updateConversation(conversationId, { due_at: this.ports.clock.wall() });
    const { tools, model } = conversation ?? {};
    return this.claimOrPassOn(journal, { isDeleted, tools, model: model || undefined });
  }

  /** True if one of these turns has not ended. If one has ended, its cached status is repaired. */
  private async hasActive(turnIds: string[]): Promise<boolean> {
    for (const turnId of turnIds) {
      const journal = await this.deps.store.readJournal(turnId);
      if (!journal) continue;
      if (!endingStep(journal)) return true;
      await this.endAgain(journal);
    }
    return false;
  }

  private async endAgain(journal: Journal): Promise<void> {
    const end = endingStep(journal);
    if (!end) return;
    const calls = decideCalls(journal, await situationOf(this.ports, journal));
    await Promise.all([
      endTurn(this.ports, journal, end),
      ...calls.map((call) => carryOut(this.ports, journal, call)),
    ]);
  }

  private async claimOrPassOn(first: Journal, conversation: ConversationAtTakeUp): Promise<TakenUp> {
    let journal = first;
    for (;;) {
      const holder = holderOf(journal, journal.turn._id);
      const liveness = holder ? await this.livenessByPassingOn(journal, holder) : 'alive';
      const decision = decideTakeUp(journal, this.ports.me, () => liveness);
      if (decision.do === 'pass_on') return 'nothing_to_do';
      const evidence = holder && evidenceOf(holder.owner, liveness, this.ports.me);
      const { attempt } = decision;
      const trace = new TurnTrace(journal.turn, { attempt, owner: this.ports.me, before: holder });
      const { traceparent } = trace;
      const claimed = await this.claim(journal, attempt, { evidence, traceparent });
      if (claimed.won) {
        await this.ports.faultPoint('turn_claimed');
        return { ...(await this.workOf(journal, claimed.row, conversation, holder)), trace };
      }
      const reread = await this.deps.store.readJournal(journal.turn._id);
      if (!reread || endingStep(reread)) return 'nothing_to_do';
      journal = reread;
    }
  }

  /** The forwarded hint is the first probe: a dead driver's control queue is gone with its connection. */
  private async livenessByPassingOn(journal: Journal, holder: Claim): Promise<Liveness> {
    if (holder.owner === this.ports.me) return 'alive';
    if (await this.deps.peers.isDead(holder.owner)) return 'dead';
    const hint = turnHint(this.ports, journal.turn);
    const outcome = await this.deps.bus.send(controlKey(holder.owner), hint);
    if (outcome === 'confirmed' || outcome === 'unknown') return 'alive';
    // A drained process has removed its row before its queue.
    if (await this.deps.peers.isGone(holder.owner)) return 'dead';
    return (await this.deps.peers.isSuspect(holder.owner)) ? 'suspect' : 'alive';
  }

  private async claim(
    journal: Journal,
    attempt: number,
    { evidence, traceparent }: Pick<Claim, 'evidence' | 'traceparent'>,
  ) {
    const { turn } = journal;
    const catalog = attempt === 1 ? await this.catalogue.pin() : undefined;
    const { _id: turn_id, conversation_id } = turn;
    const at = timestampOf(this.ports.clock);
    const by = { turn_id, conversation_id, owner: this.ports.me, at, evidence };
    const claim: Claim = {
      ...runClaim(turn_id, attempt, by),
      ...(catalog && { catalog_hash: catalog._id }),
      ...(traceparent !== undefined && { traceparent }),
    };
    return this.deps.store.claim(claim);
  }

  private async workOf(
    journal: Journal,
    claim: Claim,
    conversation: ConversationAtTakeUp,
    before: Claim | undefined,
  ): Promise<Omit<TurnWork, 'trace'>> {
    const { turn } = journal;
    if (before) this.ports.observer.repaired('turn_taken_over');
    if (before && before.owner !== this.ports.me) {
      const message = newMessage(this.ports, 'turn.superseded', { turn_id: turn._id, attempt: claim.n });
      void this.deps.bus.send(controlKey(before.owner), message);
    }
    const claims = [...journal.claims, claim];
    const first = claims.find((row) => row._id === `${turn._id}:1`) ?? claim;
    const [reread, catalogue, recent] = await Promise.all([
      // No process can have worked on the turn before attempt 1. A later attempt must see what the previous driver
      // committed.
      claim.n === 1 ? { ...journal, claims } : this.deps.store.readJournal(turn._id),
      this.pinned(first.catalog_hash),
      this.history.before(turn.conversation_id, turn.number, { approvals: false }),
    ]);
    // Only a turn whose tools ask for approval once per conversation must know every earlier approval.
    const { roles = [] } = turn;
    const approvals = catalogue.some((tool) => this.deps.settings.approvalOf(tool, roles) === 'first');
    const past = approvals ? await this.history.before(turn.conversation_id, turn.number) : recent;
    const memory = new TurnMemory(reread ?? { ...journal, claims }, this.deps.store);
    const { conversation_id, number } = turn;
    this.deps.bus.emit({
      type: 'turn_started',
      conversation_id,
      turn_id: turn._id,
      timestamp: first.at,
      number,
    });
    const { messages: history, approved: approvedBefore } = past;
    const { images } = this;
    return { memory, claimAttempt: claim.n, history, images, approvedBefore, catalogue, conversation };
  }

  private async pinned(hash: string | undefined): Promise<CatalogTool[]> {
    if (hash === undefined) return [];
    const catalog: Catalog | null = await this.catalogue.get(hash);
    return catalog?.tools ?? [];
  }
}
