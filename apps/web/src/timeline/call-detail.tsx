import type { CallView } from '#contracts';
import { isOpen, workerName } from '../format/call-text.js';
import { formatClock, formatDuration } from '../format/durations.js';
import { Artifacts } from './artifacts.js';
import { isTreeText } from './is-tree-text.js';
import { Payload } from './payload.js';
import { useUncut, type Extent } from './use-uncut.js';

const MORE: Record<Extent, string> = { whole: 'Show all of it', model: 'Show what the model was given' };

/** The arguments, the result, and the facts of a call. */
export default function CallDetail({ call, turnId }: { call: CallView; turnId: string }) {
  const { shown, isWhole, left, show, read, problem } = useUncut(call, turnId);
  const uncut = async (extent: Extent) => (isWhole ? shown : read(extent));
  return (
    <div className="call-detail">
      <div className={`payloads${isLong(shown.result) ? ' is-stacked' : ''}`}>
        <Payload title="Arguments" text={argumentsOf(shown)} whole={() => uncut('model').then(argumentsOf)} />
        {shown.result !== undefined && (
          <Payload
            title="Result"
            text={shown.result}
            whole={() => uncut('whole').then(({ result }) => result ?? '')}
          />
        )}
        {call.error && (
          <Payload title="Error" text={`${call.error.error_type}: ${call.error.error_message}`} />
        )}
      </div>
      {call.artifacts && <Artifacts artifacts={call.artifacts} />}
      {left.length > 0 && (
        <p className="call-cut">
          {!isWhole && 'Shown in part. '}
          {left.map((extent) => (
            <button key={extent} type="button" className="text-button" onClick={() => show(extent)}>
              {MORE[extent]}
            </button>
          ))}
          {problem && <span role="alert"> {problem}</span>}
        </p>
      )}
      <Facts call={call} />
    </div>
  );
}

function argumentsOf({ args }: Pick<CallView, 'args'>): string {
  return JSON.stringify(args, null, 2);
}

/** Text of many lines needs the whole width; a tree folds. */
function isLong(result: string | undefined): boolean {
  return result !== undefined && !isTreeText(result) && result.length > 400;
}

function Facts({ call }: { call: CallView }) {
  const facts: [string, string | undefined][] = [
    ['Attempt', call.attempt > 0 ? String(call.attempt) : 'none'],
    ['Worker', workerName(call.worker)],
    ['Started', call.started_at && formatClock(call.started_at)],
    [
      'Ran',
      call.attempt > 0 && call.duration_ms !== undefined && !isOpen(call)
        ? formatDuration(call.duration_ms)
        : undefined,
    ],
  ];
  return (
    <p className="facts">
      {facts.map(
        ([name, value]) =>
          value && (
            <span key={name}>
              {name} <b>{value}</b>
            </span>
          ),
      )}
      <code>{call.tool_call_id}</code>
    </p>
  );
}
