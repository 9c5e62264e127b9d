import type { Call, ConversationEvent, Journal, Step } from '#contracts';
import { approvalExpiry, callViewOf, outcomeOf, shownTextOf, toolEndEvent, toolsetOf } from '#turn';

/** The events of a newly committed step: the step itself, then its calls in order. */
export function committedEvents(journal: Journal, step: Step): ConversationEvent[] {
  const place = placeOf(step);
  const { text, ...shown } = shownTextOf(step, journal.steps);
  const committed: ConversationEvent = {
    type: 'step_committed',
    ...place,
    attempt: step.attempt,
    text_length: text.length,
    ...shown,
    calls: step.calls.map((call) => callViewOf(journal, step, call)),
  };
  return [committed, ...step.calls.map((call) => callEvent(step, call))];
}

/** The ends of a step's calls, as carried by the next step's `step_started`. */
export function settledEnds(journal: Journal, step: Step | undefined): ReturnType<typeof toolEndEvent>[] {
  return (step?.calls ?? []).flatMap((call) => {
    const outcome = outcomeOf(journal, call.tool_call_id);
    return outcome ? [toolEndEvent(call, outcome)] : [];
  });
}

function callEvent(step: Step, call: Call): ConversationEvent {
  const { tool_call_id, tool_name, arguments: args } = call;
  const place = { ...placeOf(step), tool_call_id, tool_name };
  if (call.approval === 'required') {
    const { approvers } = call;
    const about = {
      tool_args: args,
      expires_at: approvalExpiry(step, call),
      ...(approvers && { approvers }),
    };
    return { type: 'approval_required', ...place, ...about };
  }
  return {
    type: 'tool_queued',
    ...place,
    display_name: call.display_name,
    tool_input: JSON.stringify(args),
    tool_args: args,
    source: call.source,
    toolset: toolsetOf(tool_name),
    attempt: 0,
  };
}

function placeOf(step: Step) {
  return { conversation_id: step.conversation_id, turn_id: step.turn_id, timestamp: step.at, step: step.n };
}
