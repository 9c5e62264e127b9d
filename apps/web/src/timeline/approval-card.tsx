import type { CallView } from '#contracts';
import { useState } from 'react';
import { RequestError } from '../connection/connection.js';
import { useIsCutOff } from '../frame/cut-off.js';
import { useSession } from '../session.js';

/** Asks in place, beside all arguments. It never takes the focus. */
export function ApprovalCard({ call, turnId }: { call: CallView; turnId: string }) {
  const { connection } = useSession();
  const isCutOff = useIsCutOff();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const answer = async (decision: 'approve' | 'deny') => {
    setSending(true);
    setProblem(undefined);
    try {
      await connection.request('tool_approval', {
        turn_id: turnId,
        tool_call_id: call.tool_call_id,
        decision,
      });
    } catch (error) {
      setSending(false);
      setProblem(error instanceof RequestError ? error.message : 'The answer could not be sent.');
    }
  };
  const titleId = `approve-${call.tool_call_id}`;
  return (
    <div className="ask" role="group" aria-labelledby={titleId}>
      <h3 id={titleId}>
        Run <code>{call.tool_name}</code>?
      </h3>
      <dl className="ask-arguments">
        {Object.entries(call.args).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
      {problem && (
        <p className="ask-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="ask-actions">
        <span className="grow quiet">You can answer on any of your devices.</span>
        <button
          type="button"
          className="button"
          disabled={isSending || isCutOff}
          onClick={() => void answer('deny')}
        >
          Deny
        </button>
        <button
          type="button"
          className="button button-main"
          disabled={isSending || isCutOff}
          onClick={() => void answer('approve')}
        >
          Approve
        </button>
      </div>
    </div>
  );
}
