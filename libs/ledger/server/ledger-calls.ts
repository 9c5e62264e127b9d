import { LRUCache } from 'lru-cache';
import type { CallTicket } from '#contracts';
import { auditedCall, type Ports } from '#journal';
import type { HeldCall } from '#turn';
import type { WorkerCall } from '../port/call-ledger.port.js';

/** Characters of arguments that are kept in memory; of other calls the step is read again. */
const MAX_KEPT = 8 * 1024 * 1024;
const SMALLEST_COST = 256;

/** The calls that workers ask about, as their steps have them: workers state only which call they mean. */
export class LedgerCalls {
  private readonly known = new LRUCache<string, WorkerCall>({
    maxSize: MAX_KEPT,
    sizeCalculation: ({ body }) => SMALLEST_COST + JSON.stringify(body.arguments).length,
  });

  constructor(private readonly store: Pick<Ports['store'], 'getStep'>) {}

  /** A call that this process sends: it is likely to serve it as well. */
  note(ticket: Omit<CallTicket, 'token'>, { step, call }: HeldCall): WorkerCall {
    const { timeout_ms, tool_name, display_name, source, approval, tool_version: version } = call;
    const audited = auditedCall(ticket.user_id, call.arguments, { version });
    const noted: WorkerCall = {
      body: { ...ticket, arguments: call.arguments, timeout_ms, deadline: step.at },
      label: { tool_name, display_name, source, approval, audited },
    };
    this.known.set(ticket.tool_call_id, noted);
    return noted;
  }

  /** Undefined when the call is gone with its conversation. */
  async find({ token: _token, ...ticket }: CallTicket): Promise<WorkerCall | undefined> {
    const known = this.known.get(ticket.tool_call_id);
    // The driver that waits for the result may be another one by now.
    if (known?.body.reply_to === ticket.reply_to) return known;
    const step = await this.store.getStep(ticket.turn_id, ticket.n);
    const call = step?.calls.find(({ tool_call_id }) => tool_call_id === ticket.tool_call_id);
    return step && call ? this.note(ticket, { step, call }) : undefined;
  }

  forget(ticket: CallTicket): void {
    this.known.delete(ticket.tool_call_id);
  }
}
