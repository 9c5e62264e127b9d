import { lazy, memo, useId, useState } from 'react';
import type { CallView, Waiting } from '#contracts';
import type { Transient } from '../conversation/transient.js';
import { useNow } from '../conversation/clock.js';
import { isThisPerson } from '../connection/person.js';
import { useIsDisconnected } from '../frame/disconnected.js';
import { Later } from '../frame/boundary.js';
import { FoldButton } from '../frame/fold-button.js';
import { Icon, type IconName } from '../frame/icon.js';
import { useSession } from '../session/session.js';
import {
  approvalText,
  argumentSummary,
  isOpen as isCallOpen,
  appearanceOf,
  stateText,
  explanationOf,
  type CallAppearance,
} from '../format/call-text.js';
import { formatDuration, formatElapsed } from '../format/durations.js';
import { toolNameOf } from '../format/tool-name.js';
import { ApprovalCard, ApprovalLine } from './approval-card.js';
import { Lane } from './lane.js';
import { ConnectCard } from './connect-card.js';
import { ranMs, type Span } from './times.js';

const CallDetail = lazy(() => import('./call-detail.js'));
const QuestionForm = lazy(() => import('./question-form.js'));

const glyphs: Record<CallAppearance, IconName> = {
  queued: 'queued',
  waiting: 'waiting',
  running: 'running',
  done: 'done',
  failed: 'failed',
  stopped: 'cancelled',
  never_started: 'cancelled',
  unknown: 'help',
};

interface CallRowProps {
  call: CallView;
  turnId: string;
  /** Scale of the lane up to now: of all calls of the step. */
  spanAt: (now: number) => Span | undefined;
  progress: Transient['progress'][string] | undefined;
  /** The first call of the step that waits for approval: it has the card, those after it a line. */
  firstWaiting: CallView | undefined;
  /** Why it waits in its queue, once that is known. */
  reason: Waiting | undefined;
}

/** One line per call; it opens to the arguments and the result. */
export const CallRow = memo(function CallRow(props: CallRowProps) {
  const { call, turnId, spanAt, progress, firstWaiting, reason } = props;
  const [isOpen, setOpen] = useState(false);
  const isDisconnected = useIsDisconnected();
  const { clock } = useSession();
  const detailId = useId();
  const now = useNow(clock, isCallOpen(call));
  const look = appearanceOf(call);
  const why = [explanationOf(call, progress), approvalText(call, isThisPerson)].filter(Boolean).join(' ');
  const { toolset, tool } = toolNameOf(call);
  return (
    <li className="call" data-look={look}>
      <FoldButton className="call-row" isOpen={isOpen} onToggle={() => setOpen(!isOpen)} opens={detailId}>
        <Icon name={glyphs[look]} className="glyph" />
        <span className="call-who">
          <span className="call-name">
            {toolset !== undefined && <i>{toolset}.</i>}
            {tool}
          </span>
          <span className="tag">{call.source === 'mcp' ? 'MCP' : 'local'}</span>
          <span className="call-gist cut" title={argumentSummary(call.args)}>
            {argumentSummary(call.args)}
          </span>
        </span>
        <span className="call-state cut">
          {look === 'done' && <span className="visually-hidden">Done on </span>}
          {stateText(call, isDisconnected, progress, reason)}
        </span>
        <Lane call={call} span={spanAt(now)} now={now} />
        <span className="call-time">{timeOf(call, now, reason)}</span>
        <Icon name="chevron" className="chevron" />
        {why && <span className="call-why">{why}</span>}
      </FoldButton>
      {call.state === 'awaiting_approval' &&
        !call.approvers &&
        (firstWaiting && firstWaiting.tool_call_id !== call.tool_call_id ? (
          <ApprovalLine call={call} turnId={turnId} above={firstWaiting} />
        ) : (
          <ApprovalCard call={call} turnId={turnId} />
        ))}
      {call.state === 'awaiting_input' &&
        call.question &&
        (call.question.connection === undefined ? (
          <Later what="The question">
            <QuestionForm key={call.question.number} call={call} question={call.question} turnId={turnId} />
          </Later>
        ) : (
          <ConnectCard key={call.question.number} call={call} question={call.question} turnId={turnId} />
        ))}
      {isOpen && (
        <div id={detailId}>
          <Later what="This call">
            <CallDetail call={call} turnId={turnId} />
          </Later>
        </div>
      )}
    </li>
  );
});

function timeOf(call: CallView, now: number, reason: Waiting | undefined): string {
  const ran = ranMs(call, now);
  if (ran === undefined) return reason ? formatElapsed(now - Date.parse(reason.since)) : '–';
  return isCallOpen(call) ? formatElapsed(ran) : formatDuration(ran);
}
