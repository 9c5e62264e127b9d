import type { ConversationEvent, Journal, Step } from '#contracts';
import { failureOf, textOf, totalUsage } from '../journal/journal.js';
import { earlyStopOf, shownSteps } from './view-of.js';

/**
 * The event for viewers when the row `end` has ended a turn; the same whichever process emits it, and however often.
 */
export function endEvent(journal: Journal, end: Step): ConversationEvent {
  const fields = { conversation_id: end.conversation_id, turn_id: end.turn_id, timestamp: end.at };
  const steps = shownSteps(journal).length;
  if (end.kind === 'cancel') return { type: 'cancelled', ...fields, message: 'Stopped.', steps };
  if (end.kind === 'fail') return { type: 'error', ...fields, ...failureOf(end), steps };
  return {
    type: 'complete',
    ...fields,
    message_id: end._id,
    content: textOf(end),
    usage: totalUsage(journal.steps),
    ...(end.model === undefined ? {} : { model: end.model }),
    ...earlyStopOf(end),
  };
}
