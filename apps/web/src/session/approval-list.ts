import {
  answerApproval,
  HttpError,
  listApprovals,
  readMe,
  type WaitingApproval,
} from '../connection/http.js';
import { Observable } from '../state/observable.js';

export interface ApprovalListState {
  /** The user has a role that approves calls of others. */
  mayApprove: boolean;
  /** Oldest first. */
  approvals: WaitingApproval[];
  problem?: string;
}

/** Calls of other users that this one may approve; there is no event for them. */
export class ApprovalList {
  readonly state = new Observable<ApprovalListState>({ mayApprove: false, approvals: [] });

  /** Who the user is may have changed. */
  async start(): Promise<void> {
    try {
      const { may_approve: mayApprove } = await readMe();
      this.state.set({ ...this.state.get(), mayApprove });
      await this.read();
    } catch (error) {
      this.fail(error);
    }
  }

  async read(): Promise<void> {
    if (!this.state.get().mayApprove) return;
    try {
      const { approvals } = await listApprovals();
      this.state.set({ mayApprove: true, approvals });
    } catch (error) {
      this.fail(error);
    }
  }

  /** What somebody else has answered meanwhile is read anew. */
  async answer(approval: WaitingApproval, decision: 'approve' | 'deny'): Promise<void> {
    const { turn_id, tool_call_id } = approval;
    try {
      await answerApproval(turn_id, tool_call_id, decision);
    } catch (error) {
      this.fail(error);
      return;
    }
    const state = this.state.get();
    const approvals = state.approvals.filter((other) => other.tool_call_id !== tool_call_id);
    this.state.set({ mayApprove: state.mayApprove, approvals });
  }

  private fail(error: unknown): void {
    if (!(error instanceof HttpError)) throw error;
    this.state.set({ ...this.state.get(), problem: error.message });
  }
}
