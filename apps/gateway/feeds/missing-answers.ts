import type { CallView, ConversationEvent, View } from '#contracts';

/**
 * Calls that continued although viewers did not receive the answer that they waited for. The answer travels another way
 * and may only be late, or it was lost with the gateway that accepted it. Then only the store knows who decided.
 */
export class MissingAnswers {
  private readonly calls = new Set<string>();

  get areThere(): boolean {
    return this.calls.size > 0;
  }

  /** The views before and after the event. Several events end a call, and one event may end several calls. */
  note(before: View, event: ConversationEvent, after: View): void {
    if (event.type === 'approval_answered') this.calls.delete(event.tool_call_id);
    if (event.type === 'token') return;
    for (const { tool_call_id, state } of lastCallsOf(before, event.turn_id)) {
      if (state !== 'awaiting_approval') continue;
      const now = callsOf(after, event.turn_id).find((call) => call.tool_call_id === tool_call_id);
      if (now && now.state !== 'awaiting_approval' && !now.approval) this.calls.add(tool_call_id);
    }
  }

  /** The store has been read, and it has every answer. */
  clear(): void {
    this.calls.clear();
  }
}

/** Only the last step waits for a person. */
function lastCallsOf({ turns }: View, turnId: string): readonly CallView[] {
  return turns.findLast(({ turn_id }) => turn_id === turnId)?.steps.at(-1)?.calls ?? [];
}

function callsOf({ turns }: View, turnId: string): CallView[] {
  return turns.findLast(({ turn_id }) => turn_id === turnId)?.steps.flatMap(({ calls }) => calls) ?? [];
}
