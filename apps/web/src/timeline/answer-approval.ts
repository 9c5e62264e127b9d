import { useState } from 'react';
import { RequestError } from '../connection/connection.js';
import { useSession } from '../session/session.js';

/** Answers calls that wait for approval; the result arrives as events. */
export function useApproval(turnId: string) {
  const { connection } = useSession();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const answer = async (decision: 'approve' | 'deny', toolCallIds: string[]) => {
    setSending(true);
    setProblem(undefined);
    const send = (tool_call_id: string) =>
      connection.request('tool_approval', { turn_id: turnId, tool_call_id, decision });
    try {
      await Promise.all(toolCallIds.map(send));
    } catch (error) {
      setProblem(error instanceof RequestError ? error.message : 'The answer could not be sent.');
    } finally {
      setSending(false);
    }
  };
  return { answer, isSending, problem };
}
