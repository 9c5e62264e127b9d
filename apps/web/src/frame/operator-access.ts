import { useEffect, useState } from 'react';
import type { Connection } from '../connection/connection.js';
import { readMe } from '../connection/http.js';
import { useObservable } from '../session/session.js';

export type OperatorAccess = 'unknown' | 'granted' | 'refused';

/** `unknown` until the server has been asked; asked again whenever the user may be another one. */
export function useOperatorAccess(connection: Connection): OperatorAccess {
  const { phase, connectedAt, lostAt } = useObservable(connection.state);
  // A gateway that drains refuses sockets and still serves its operators.
  const canAsk = phase === 'connected' || lostAt !== undefined;
  const [access, setAccess] = useState<OperatorAccess>('unknown');
  useEffect(() => {
    if (!canAsk) return;
    let isCurrent = true;
    readMe().then(
      (me) => isCurrent && setAccess(me.is_operator ? 'granted' : 'refused'),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [canAsk, connectedAt]);
  return phase === 'signed_out' ? 'unknown' : access;
}
