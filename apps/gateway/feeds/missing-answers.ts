import type { ConversationEvent, View } from '#contracts';

/**
 * Calls that went on although nobody was told of the answer that they waited for. It travels another way and may only
 * be late; or it was lost with the gateway that took it, and then nothing but the store says who decided.
 */
export class MissingAnswers {
  private readonly calls = new Set<string>();

  get areThere(): boolean {
    return this.calls.size > 0;
  }

  /** `before`: what was shown until the event. */
  note(before: View, event: ConversationEvent): void {
    if (event.type === 'approval_answered') this.calls.delete(event.tool_call_id);
    else if (
      (event.type === 'tool_start' || event.type === 'tool_complete' || event.type === 'tool_error') &&
      isAwaited(before, event.turn_id, event.tool_call_id)
    )
      this.calls.add(event.tool_call_id);
  }

  /** The store has been read: it has every answer. */
  clear(): void {
    this.calls.clear();
  }
}

function isAwaited({ turns }: View, turnId: string, toolCallId: string): boolean {
  const turn = turns.findLast(({ turn_id }) => turn_id === turnId);
  const calls = turn?.steps.at(-1)?.calls ?? [];
  return calls.some(
    ({ tool_call_id, state }) => tool_call_id === toolCallId && state === 'awaiting_approval',
  );
}
