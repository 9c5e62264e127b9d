import { idSchema, type CallView, type Claim, type Journal, type ToolClass } from '#contracts';
import type { Store } from '#store';
import { callViewOf, claimsOn, toolNameForOperators } from '#turn';
import { notFound } from '../errors/request-error.js';
import { MAX_PAGE_BYTES } from '../feeds/newest-turns.js';

/** One call as operators see it: who did what when; neither arguments nor output. */
export interface ListedCall extends Pick<
  CallView,
  'tool_call_id' | 'tool_name' | 'state' | 'attempt' | 'worker' | 'duration_ms'
> {
  turn_id: string;
  turn_number: number;
  step: number;
  class: ToolClass;
  error_type?: string;
  /** When its step was committed. */
  asked_at: string;
  claims: Pick<Claim, 'n' | 'owner' | 'purpose' | 'at'>[];
  ended_at?: string;
}

export interface CallsPage {
  calls: ListedCall[];
  /** Number to ask for next (`before`); absent when there are no earlier turns. */
  before?: number;
}

/** The calls of a conversation, from claims and outcomes. */
export class Calls {
  constructor(private readonly store: Store) {}

  /**
   * Of the `limit` newest turns below `before`, oldest first; fewer when their journals are larger than 1 MiB. The
   * conversation may be anyone's.
   */
  async list(conversationId: string, page: { before: number; limit: number }): Promise<CallsPage> {
    if (!idSchema.safeParse(conversationId).success) throw notFound();
    const conversation = await this.store.getConversation(conversationId);
    if (!conversation || conversation.deleted_at !== undefined) throw notFound();
    const turns = await this.store.listTurns(conversationId, { ...page, bytes: MAX_PAGE_BYTES });
    const journals = await this.store.readJournals(conversationId, turns);
    const first = turns[0]?.number ?? 1;
    return { calls: journals.flatMap(callsOf), ...(first > 1 ? { before: first } : {}) };
  }
}

function callsOf(journal: Journal): ListedCall[] {
  const { _id: turn_id, number: turn_number } = journal.turn;
  return journal.steps.flatMap((step) =>
    step.calls.map((call): ListedCall => {
      const view = callViewOf(journal, step, call);
      const claims = claimsOn(journal, call.tool_call_id);
      return {
        turn_id,
        turn_number,
        step: step.n,
        tool_call_id: call.tool_call_id,
        tool_name: toolNameForOperators(call),
        class: call.class,
        state: view.state,
        attempt: view.attempt,
        worker: view.worker ?? claims.at(-1)?.owner,
        duration_ms: view.duration_ms,
        error_type: view.error?.error_type,
        asked_at: step.at,
        claims: claims.map(({ n, owner, purpose, at }) => ({ n, owner, purpose, at })),
        ended_at: view.ended_at,
      };
    }),
  );
}
