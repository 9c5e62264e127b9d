import { idSchema, type Call, type Journal, type Turn } from '#contracts';
import type { ActionLog } from '#journal';
import type { Store } from '#store';
import type { User } from '../people/auth/user.js';
import type { Roles } from '../people/roles.js';
import { notFound, RequestError } from '../errors/request-error.js';

export interface OtherApproversDeps {
  store: Pick<Store, 'readJournal' | 'getConversation' | 'removeApprovalRequests'>;
  roles: Pick<Roles, 'of'>;
  /** That rules of tools name for approvers: nobody else is even looked for. */
  approverRoles: ReadonlySet<string>;
  actions: Pick<ActionLog, 'note'>;
  onAnswered(toolCallId: string): void;
}

/**
 * Who may approve a call whose rule names approvers: somebody else than the user of its turn, with one of their roles
 * at that moment. For everybody else such a call does not exist.
 */
export class OtherApprovers {
  constructor(private readonly deps: OtherApproversDeps) {}

  /** Whether calls of others may wait for this user. */
  async isOne(user: User): Promise<boolean> {
    return (await this.rolesOf(user)).length > 0;
  }

  /** The user of a turn cannot answer for others. Throws `RequestError`. */
  refuseOwn({ approvers }: Pick<Call, 'approvers'>): void {
    if (!approvers) return;
    const who = `somebody else with the role ${approvers.join(' or ')}`;
    throw new RequestError('forbidden', `This call is approved by ${who}.`);
  }

  /** The turn of another user with a call that this user may approve. Throws `not_found`. */
  async read(
    user: User,
    { turn_id, tool_call_id }: Record<'turn_id' | 'tool_call_id', string>,
  ): Promise<Journal> {
    const { store } = this.deps;
    const own = await this.rolesOf(user);
    if (own.length === 0 || !idSchema.safeParse(turn_id).success) throw notFound();
    const journal = await store.readJournal(turn_id);
    const call = journal && findCall(journal, tool_call_id);
    const mayAnswer = call?.approvers?.some((role) => own.includes(role)) === true;
    if (!journal || !mayAnswer || journal.turn.user_id === user.id) throw notFound();
    const conversation = await store.getConversation(journal.turn.conversation_id);
    if (!conversation || conversation.deleted_at !== undefined) throw notFound();
    return journal;
  }

  async noteAnswer(
    user: User,
    { _id: turn_id, conversation_id }: Turn,
    { tool_call_id, tool_name: tool }: Call,
    decision: 'approve' | 'deny',
  ): Promise<void> {
    const { store, actions, onAnswered } = this.deps;
    const about = { turn_id, conversation_id, tool_call_id, tool, status: decision };
    actions.note({ audit: 'approval_given', user_id: user.id, ...about });
    // The list of what waits removes it otherwise.
    await store.removeApprovalRequests([tool_call_id]).catch(() => undefined);
    onAnswered(tool_call_id);
  }

  private async rolesOf(user: User): Promise<string[]> {
    const { roles, approverRoles } = this.deps;
    return (await roles.of(user)).filter((role) => approverRoles.has(role));
  }
}

export function findCall({ steps }: Pick<Journal, 'steps'>, toolCallId: string): Call | undefined {
  return steps.flatMap(({ calls }) => calls).find(({ tool_call_id }) => tool_call_id === toolCallId);
}
