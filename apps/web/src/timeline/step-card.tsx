import { memo, useCallback, useState } from 'react';
import type { CallView, StepView } from '#contracts';
import { useNow } from '../conversation/clock.js';
import { asksUser } from '../conversation/conversations.js';
import type { Transient } from '../conversation/transient.js';
import { FoldButton } from '../frame/fold-button.js';
import { Icon } from '../frame/icon.js';
import { useIsDisconnected } from '../frame/disconnected.js';
import { useSession } from '../session/session.js';
import { isOpen } from '../format/call-text.js';
import { wholeToolName } from '../format/tool-name.js';
import { countOf, formatDuration, formatElapsed } from '../format/durations.js';
import { ApproveAll } from './approve-all.js';
import { CallRow } from './call-row.js';
import { spanOf } from './times.js';
import { useWaiting } from './use-waiting.js';

interface StepCardProps {
  step: StepView;
  turnId: string;
  /** After the turn has ended, a step whose calls all succeeded folds to its header. */
  hasTurnEnded: boolean;
  progress: Transient['progress'];
}

/** The calls of one step, drawn as branches of it. */
export const StepCard = memo(function StepCard({ step, turnId, hasTurnEnded, progress }: StepCardProps) {
  const { clock } = useSession();
  const [choice, setChoice] = useState<boolean>();
  const { calls } = step;
  const isUnfolded = choice ?? !(hasTurnEnded && calls.every((call) => call.state === 'succeeded'));
  const now = useNow(clock, calls.some(isOpen));
  const spanAt = useCallback((at: number) => spanOf(calls, at), [calls]);
  const span = spanAt(now);
  const isDisconnected = useIsDisconnected();
  const isQueued = !isDisconnected && calls.some((call) => call.state === 'queued');
  const reason = useWaiting(turnId, isQueued);
  const waiting = calls.filter((call) => call.state === 'awaiting_approval' && !call.approvers);
  const total = span && (calls.some(isOpen) ? formatElapsed : formatDuration)(span.to - span.from);
  return (
    <section className="step" aria-label={`Step ${step.n}`}>
      <h3 className="step-head">
        <FoldButton className="step-header" isOpen={isUnfolded} onToggle={() => setChoice(!isUnfolded)}>
          <Icon name="switch" />
          <b>Step {step.n}</b>
          <span className="grow cut quiet">{summaryOf(calls, isUnfolded)}</span>
          <span className="step-time">{total}</span>
          <Icon name="chevron" className="chevron" />
        </FoldButton>
        {isUnfolded && <ApproveAll waiting={waiting} turnId={turnId} />}
      </h3>
      {isUnfolded && (
        <ul className="calls">
          {calls.map((call) => (
            <CallRow
              key={call.tool_call_id}
              call={call}
              turnId={turnId}
              spanAt={spanAt}
              progress={progress[call.tool_call_id]}
              firstWaiting={waiting[0]}
              reason={call.tool_call_id === reason?.tool_call_id ? reason : undefined}
            />
          ))}
        </ul>
      )}
    </section>
  );
});

function summaryOf(calls: CallView[], isUnfolded: boolean): string {
  const count = calls.length > 1 ? `${calls.length} calls in parallel` : '1 call';
  const waiting = calls.filter(asksUser).length;
  const waits = waiting > 0 ? ` · ${countOf(waiting, 'waits', 'wait')} for you` : '';
  const names = isUnfolded ? '' : ` · ${[...new Set(calls.map(wholeToolName))].join(', ')}`;
  return count + waits + names;
}
