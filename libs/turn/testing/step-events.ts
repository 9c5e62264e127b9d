import type { ConversationEvent, Journal, Step, ToolEnd } from '#contracts';
import { approvalExpiry } from '../rules/call-rules.js';
import { outcomeOf } from '../journal/journal.js';
import { toolEndEvent, toolsetOf } from '../view/tool-end.js';
import { callViewOf, shownTextOf } from '../view/view-of.js';

/** The events that an orchestrator emits for a step that it has committed. */
export function eventsOfCommit(journal: Journal, step: Step): ConversationEvent[] {
  const { conversation_id, turn_id, at: timestamp, n, attempt } = step;
  const place = { conversation_id, turn_id, timestamp, step: n };
  const calls = step.calls.map((call) => callViewOf({ ...journal, claims: [], outcomes: [] }, step, call));
  const { text, ...shown } = shownTextOf(step, journal.steps);
  const committed = {
    type: 'step_committed' as const,
    ...place,
    attempt,
    text_length: text.length,
    ...shown,
    calls,
  };
  const asked = step.calls.map((call): ConversationEvent => {
    const { tool_call_id, tool_name, display_name, source, arguments: tool_args } = call;
    const named = { ...place, tool_call_id, tool_name, tool_args };
    if (call.approval === 'required')
      return {
        ...{ type: 'approval_required', ...named, expires_at: approvalExpiry(step, call) },
        ...(call.approvers && { approvers: call.approvers }),
      };
    const tool_input = JSON.stringify(tool_args);
    const toolset = toolsetOf(tool_name);
    return { type: 'tool_queued', ...named, display_name, tool_input, source, toolset, attempt: 0 };
  });
  return [committed, ...asked];
}

/** The ends of a step's calls, as `step_started` of the next step carries them. */
export function endsOf(journal: Journal, step: Step | undefined): ToolEnd[] {
  return (step?.calls ?? []).flatMap((call) => {
    const outcome = outcomeOf(journal, call.tool_call_id);
    return outcome ? [toolEndEvent(call, outcome)] : [];
  });
}
