import type { Store } from '#store';
import { approvalExpiry, type CallDecision } from '#turn';

/** Makes calls of a turn known to those who approve them in place of its user. */
export class ApprovalRequests {
  private readonly kept = new Set<string>();

  constructor(
    private readonly store: Pick<Store, 'keepApprovalRequest'>,
    private readonly userId: string,
  ) {}

  /** Of these calls, those that wait for approval by others; each once. */
  async keep(calls: readonly CallDecision[]): Promise<void> {
    const asking = calls.filter(
      ({ action, call }) =>
        action.do === 'await_person' && call.approvers && !this.kept.has(call.tool_call_id),
    );
    await Promise.all(asking.map((decision) => this.keepOne(decision)));
  }

  private async keepOne({ step, call }: CallDecision): Promise<void> {
    const { turn_id, conversation_id, at } = step;
    const { tool_call_id: _id, approvers = [] } = call;
    const due_at = Date.parse(approvalExpiry(step, call));
    const place = { turn_id, conversation_id, user_id: this.userId };
    await this.store.keepApprovalRequest({ _id, ...place, approvers, at, due_at });
    this.kept.add(_id);
  }
}
