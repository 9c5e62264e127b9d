import { useState } from 'react';
import type { CallView } from '#contracts';
import { RequestError } from '../connection/connection.js';
import { useIsDisconnected } from '../frame/disconnected.js';
import { useSession } from '../session/session.js';

type Given = { content: Record<string, unknown> } | { action: 'decline' };

/** Answers a call's question. The result of an answer arrives as an event. */
export function useAnswer(call: CallView, { number }: { number: number }, turnId: string) {
  const { connection } = useSession();
  const isDisconnected = useIsDisconnected();
  const [isSending, setSending] = useState(false);
  const [refused, setRefused] = useState<string>();
  const send = async (given: Given) => {
    setSending(true);
    setRefused(undefined);
    try {
      const { tool_call_id } = call;
      await connection.request('input', { turn_id: turnId, tool_call_id, number, ...given });
    } catch (error) {
      setSending(false);
      setRefused(error instanceof RequestError ? error.message : 'The answer could not be sent.');
    }
  };
  return { send, isBlocked: isSending || isDisconnected, refused };
}
