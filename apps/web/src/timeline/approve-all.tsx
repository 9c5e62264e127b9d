import type { CallView } from '#contracts';
import { useIsDisconnected } from '../frame/disconnected.js';
import { wholeToolName } from '../format/tool-name.js';
import { useApproval } from './answer-approval.js';

/** One answer for the waiting calls of one tool in a step. Their arguments are all shown below. */
export function ApproveAll({ waiting, turnId }: { waiting: CallView[]; turnId: string }) {
  const { answer, isSending, problem } = useApproval(turnId);
  const isBlocked = useIsDisconnected() || isSending;
  const same = waiting.filter((call) => call.tool_name === waiting[0]?.tool_name);
  if (same.length < 2) return null;
  return (
    <>
      {problem && (
        <span className="ask-problem" role="alert">
          {problem}
        </span>
      )}
      <button
        type="button"
        className="button"
        aria-label={`Approve all ${same.length} calls of ${wholeToolName(same[0]!)}`}
        aria-disabled={isBlocked}
        onClick={(event) => {
          if (isBlocked) return;
          // The button disappears with its calls, and must not take the focus with it.
          event.currentTarget.parentElement?.querySelector<HTMLElement>('.step-header')?.focus();
          void answer(
            'approve',
            same.map((call) => call.tool_call_id),
          );
        }}
      >
        Approve all {same.length}
      </button>
    </>
  );
}
