import { createContext, use, useEffect, useState } from 'react';
import { NOTICEABLE_GAP_MS, type ConnectionState } from '../connection/connection.js';

const SAID_AGAIN_MS = 6_000;

export type ConnectionLineState = 'hidden' | 'reconnecting' | 'again';

/** The text of the line above the composer: nothing for a short interruption, "again" for 6 s after a longer one. */
export function useConnectionLine(state: ConnectionState): ConnectionLineState {
  const [line, setLine] = useState<ConnectionLineState>('hidden');
  const { phase, lostAt, connectedAt, again } = state;
  useEffect(() => {
    if (phase === 'signed_out') return setLine('hidden');
    if (phase === 'connected') {
      if (!again) return setLine('hidden');
      setLine('again');
      const timer = setTimeout(() => setLine('hidden'), SAID_AGAIN_MS);
      return () => clearTimeout(timer);
    }
    if (lostAt === undefined) return;
    const timer = setTimeout(
      () => setLine('reconnecting'),
      Math.max(0, lostAt + NOTICEABLE_GAP_MS - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [phase, lostAt, connectedAt, again]);
  return line;
}

/** True while the page must not describe anything as current. */
export const DisconnectedContext = createContext(false);

export const useIsDisconnected = (): boolean => use(DisconnectedContext);
