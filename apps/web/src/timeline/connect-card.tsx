import { useId, useRef, useState } from 'react';
import type { CallView } from '#contracts';
import { HttpError, startConnection } from '../connection/http.js';
import { useFocusOfRow } from './focus-of-row.js';
import { useAnswer } from './use-answer.js';

interface ConnectCardProps {
  call: CallView;
  question: NonNullable<CallView['question']>;
  turnId: string;
}

/** A call that waits until its user has given the server access to an account, in another tab. */
export function ConnectCard({ call, question, turnId }: ConnectCardProps) {
  const card = useRef<HTMLElement>(null);
  useFocusOfRow(card);
  const titleId = useId();
  const { send, isBlocked, refused } = useAnswer(call, question, turnId);
  const { address, problem, isConnecting, connect } = useConnect(question.connection ?? '');
  return (
    <section ref={card} className="ask" aria-labelledby={titleId}>
      <h3 id={titleId}>{call.toolset} acts with your account there. Connect it to go on.</h3>
      {address && (
        <p>
          <a href={address.href} target="_blank" rel="noopener noreferrer">
            Sign in at {address.host}
          </a>
        </p>
      )}
      {(problem ?? refused) && (
        <p className="ask-problem" role="alert">
          {problem ?? refused}
        </p>
      )}
      <div className="ask-actions">
        <span className="grow quiet">You sign in at the server’s own issuer, in another tab.</span>
        <button
          type="button"
          className="button"
          aria-disabled={isBlocked}
          onClick={() => isBlocked || void send({ action: 'decline' })}
        >
          Decline
        </button>
        <button
          type="button"
          className="button button-main"
          aria-disabled={isBlocked || isConnecting}
          onClick={() => isBlocked || isConnecting || void connect()}
        >
          Connect {call.toolset}
        </button>
      </div>
    </section>
  );
}

/** That the call goes on arrives as an event. */
function useConnect(id: string) {
  const [address, setAddress] = useState<URL>();
  const [problem, setProblem] = useState<string>();
  const [isConnecting, setConnecting] = useState(false);
  const connect = async () => {
    setProblem(undefined);
    setConnecting(true);
    try {
      const url = new URL((await startConnection(id)).authorization_url);
      // What a server names must never run in this page.
      if (!/^https?:$/.test(url.protocol)) throw new HttpError(0, 'The issuer has no web address.');
      setAddress(url);
      window.open(url.href, '_blank', 'noopener,noreferrer');
    } catch (error) {
      setProblem(
        error instanceof HttpError ? error.message : 'The sign-in page could not be opened. Try again.',
      );
    } finally {
      setConnecting(false);
    }
  };
  return { address, problem, isConnecting, connect };
}
