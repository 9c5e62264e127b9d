import type { Conversation } from '#contracts';
import { BusUnavailableError } from '#messaging';
import { StoreUnavailableError } from '#store';
import { markDeleted, removeDeleted, type Ports } from '#journal';
import { forEachLimited } from './for-each-limited.js';

const CONVERSATIONS_A_ROUND = 20;
const CONVERSATIONS_AT_ONCE = 4;
const DAY_MS = 24 * 3_600_000;
/** Conversations are kept for days, so a minute more does not matter. */
const RETENTION_ROUND_MS = 60_000;
/** Gateways of an earlier version may run during an update. */
const UNSCHEDULED_ROUND_MS = 3_600_000;

/**
 * Removes conversations that are marked as deleted, and marks those that have expired, by their own time or by the
 * retention.
 */
export class DeletedConversations {
  private nextRetentionAt = 0;
  private nextUnscheduledAt = 0;

  constructor(
    private readonly ports: Ports,
    /** Undefined: conversations are kept. */
    private readonly retentionDays: number | undefined,
  ) {}

  async sweep(now: number): Promise<void> {
    if (this.retentionDays !== undefined && now >= this.nextRetentionAt)
      await this.markUnchanged(now, this.retentionDays);
    if (now >= this.nextUnscheduledAt) await this.schedule(now);
    const due = await this.ports.store.listDueConversations(now, CONVERSATIONS_A_ROUND);
    await forEachLimited(due, CONVERSATIONS_AT_ONCE, (conversation) => this.removeSafely(conversation, now));
  }

  private async markUnchanged(now: number, days: number): Promise<void> {
    const before = new Date(now - days * DAY_MS).toISOString();
    const unchanged = await this.ports.store.listUnchangedConversations(before, CONVERSATIONS_A_ROUND);
    for (const { _id } of unchanged) await markDeleted(this.ports, _id);
    if (unchanged.length < CONVERSATIONS_A_ROUND) this.nextRetentionAt = now + RETENTION_ROUND_MS;
    if (unchanged.length === 0) return;
    this.ports.log.info(
      { conversations: unchanged.length },
      'conversations past RETENTION_DAYS marked as deleted',
    );
  }

  /** Conversations that an earlier version marked have no time at which the sweeper looks at them. */
  private async schedule(now: number): Promise<void> {
    const { store } = this.ports;
    const unscheduled = await store.listUnscheduledConversations(CONVERSATIONS_A_ROUND);
    for (const { _id } of unscheduled) await store.updateConversation(_id, { due_at: now });
    if (unscheduled.length < CONVERSATIONS_A_ROUND) this.nextUnscheduledAt = now + UNSCHEDULED_ROUND_MS;
  }

  private async removeSafely(conversation: Conversation, now: number): Promise<void> {
    try {
      if (conversation.deleted_at === undefined) return await markDeleted(this.ports, conversation._id);
      await removeDeleted(this.ports, conversation, now);
    } catch (error) {
      if (error instanceof StoreUnavailableError || error instanceof BusUnavailableError) throw error;
      const { _id: conversation_id } = conversation;
      this.ports.log.error({ err: error, conversation_id }, 'removing a deleted conversation failed');
    }
  }
}
