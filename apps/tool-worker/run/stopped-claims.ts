import { LRUCache } from 'lru-cache';
import type { Body } from '#contracts';
import type { CallLedger, HeldClaims, WorkerCall } from '#ledger';

/** Nobody knows whether a forgotten call started. */
const MAX_REMEMBERED = 1_000;

/**
 * Calls that this worker has claimed but does not run, because their turn was stopped. Another worker that claimed them
 * before or after may be running them. Then that worker ends them.
 */
export class StoppedClaims {
  private readonly neverStarted = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  constructor(private readonly ledger: Pick<CallLedger, 'standBack' | 'cancel'>) {}

  /** Ends a call in hand that does not run under this attempt, or leaves it to those who may be running it. */
  async leave(call: WorkerCall, held: Omit<HeldClaims, 'neverStarted'>): Promise<void> {
    const { tool_call_id } = call.body;
    const neverStarted = this.neverStarted.has(tool_call_id);
    const { started } = await this.ledger.standBack(call, { ...held, neverStarted });
    if (!started) this.neverStarted.set(tool_call_id, true);
  }

  /** Stops a call that is not in hand: ends it, unless another worker may be running it. */
  cancel(told: Body<'tool.cancel'>): Promise<void> {
    return this.ledger.cancel(told, { started: !this.neverStarted.has(told.tool_call_id) });
  }
}
