import type { CallView, StopReason, TurnView } from '#contracts';
import { toVisibleText } from '#turn';
import { answerOf } from '../stream/answer-text.js';
import type { CompletionHead } from './completion-chunks.js';
import { finishOf, toUsage } from './completion-end.js';

/** An ended turn as the answer of a request that is not streamed. Throws for a turn without a whole answer. */
export function toCompletion(
  { id, created, model }: CompletionHead,
  turn: TurnView,
  stop: StopReason | null,
) {
  const message = { role: 'assistant', content: answerOf(turn), refusal: null };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishOf(turn, stop) };
  return { id, object: 'chat.completion', created, model, choices: [choice], usage: toUsage(turn.usage) };
}

/** Clients skip comments. In the raw stream, they show what the turn waits for and where to answer it. */
export function pendingCallComment(turnId: string, { tool_call_id, state, approvers }: CallView): string {
  if (approvers)
    return `: waits for approval by somebody else with the role ${toVisibleText(approvers.join(' or '))}\n\n`;
  const what = state === 'awaiting_approval' ? 'approval' : 'input';
  return `: waits for ${what}: POST /api/turns/${turnId}/calls/${tool_call_id}/${what}\n\n`;
}
