import { useState } from 'react';
import type { CallView } from '#contracts';
import { HttpError, readCall } from '../connection/http.js';
import { isOpen, workerName } from '../format/call-text.js';
import { formatClock, formatDuration } from '../format/durations.js';
import { Artifacts } from './artifacts.js';
import { Payload } from './payload.js';

/** The arguments, the result, and the facts of a call. */
export function CallDetail({ call, turnId }: { call: CallView; turnId: string }) {
  const [uncut, setUncut] = useState<CallView>();
  const [problem, setProblem] = useState<string>();
  const shown = uncut ?? call;
  const whole = call.artifacts?.find((artifact) => artifact.whole);
  const readUncut = () => {
    readCall(turnId, call.tool_call_id).then(setUncut, (error: unknown) => {
      setProblem(error instanceof HttpError ? error.message : 'It could not be read.');
    });
  };
  return (
    <div className="call-detail">
      <div className={`payloads${isLong(shown.result) ? ' is-stacked' : ''}`}>
        <Payload title="Arguments" text={JSON.stringify(shown.args, null, 2)} />
        {shown.result !== undefined && <Payload title="Result" text={shown.result} />}
        {shown.error && (
          <Payload title="Error" text={`${shown.error.error_type}: ${shown.error.error_message}`} />
        )}
      </div>
      {call.artifacts && <Artifacts artifacts={call.artifacts} />}
      {call.truncated && !uncut && (
        <p className="call-cut">
          Shown in part.{' '}
          <button type="button" className="text-button" onClick={readUncut}>
            {whole ? 'Show what the model was given' : 'Show all of it'}
          </button>
          {problem && <span role="alert"> {problem}</span>}
        </p>
      )}
      <Facts call={call} />
    </div>
  );
}

/** Text of many lines needs the whole width; a tree folds. */
function isLong(result: string | undefined): boolean {
  return result !== undefined && !/^\s*[[{]/.test(result) && result.length > 400;
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
