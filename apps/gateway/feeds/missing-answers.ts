import type { CallView, ConversationEvent, View } from '#contracts';

/**
 * Calls that went on although nobody was told of the answer that they waited for. It travels another way and may only
 * be late; or it was lost with the gateway that took it, and then nothing but the store says who decided.
 */
export class MissingAnswers {
  private readonly calls = new Set<string>();

  get areThere(): boolean {
    return this.calls.size > 0;
  }

  /** What was shown before the event, and after it. Several events end a call, and one may end several. */
  note(before: View, event: ConversationEvent, after: View): void {
    if (event.type === 'approval_answered') this.calls.delete(event.tool_call_id);
    if (event.type === 'token') return;
    for (const { tool_call_id, state } of lastCallsOf(before, event.turn_id)) {
      if (state !== 'awaiting_approval') continue;
      const now = callsOf(after, event.turn_id).find((call) => call.tool_call_id === tool_call_id);
      if (now && now.state !== 'awaiting_approval' && !now.approval) this.calls.add(tool_call_id);
    }
  }

  /** The store has been read: it has every answer. */
  clear(): void {
    this.calls.clear();
  }
}

/** Only the last step waits for anybody. */
function lastCallsOf({ turns }: View, turnId: string): readonly CallView[] {
  return turns.findLast(({ turn_id }) => turn_id === turnId)?.steps.at(-1)?.calls ?? [];
}

function callsOf({ turns }: View, turnId: string): CallView[] {
  return turns.findLast(({ turn_id }) => turn_id === turnId)?.steps.flatMap(({ calls }) => calls) ?? [];
}
