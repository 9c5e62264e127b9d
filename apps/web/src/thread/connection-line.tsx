import { useEffect, useState } from 'react';
import type { ConnectionState } from '../connection/connection.js';
import type { ConnectionLineState } from '../frame/disconnected.js';
import { Icon } from '../frame/icon.js';
import { useSession } from '../session/session.js';

/** Shown above the composer. The page's live region announces its text, without the countdown. */
export function ConnectionLine({ line, state }: { line: ConnectionLineState; state: ConnectionState }) {
  const { connection } = useSession();
  const seconds = useSecondsUntil(line === 'reconnecting' ? state.nextTryAt : undefined);
  if (line === 'hidden') return null;
  if (line === 'again') {
    return (
      <div className="connection-line">
        <Icon name="online" />
        <span>Connected again.</span>
      </div>
    );
  }
  return (
    <div className="connection-line is-lost">
      <Icon name="offline" />
      <span>Reconnecting{seconds > 0 ? ` in ${seconds} s` : ''}. What you write is kept and sent once.</span>
      <button type="button" className="button button-ghost" onClick={() => connection.tryNow()}>
        Try now
      </button>
    </div>
  );
}

function useSecondsUntil(at: number | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (at === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [at]);
  return at === undefined ? 0 : Math.max(0, Math.ceil((at - now) / 1_000));
}
