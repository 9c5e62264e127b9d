import { useEffect, useState } from 'react';
import type { Connection } from '../connection/connection.js';
import { readMe } from '../connection/http.js';
import { useObservable } from '../session/session.js';

/** False until the server has said so: nothing is missing from the page meanwhile. */
export function useIsOperator(connection: Connection): boolean {
  const isConnected = useObservable(connection.state).phase === 'connected';
  const [isOperator, setOperator] = useState(false);
  useEffect(() => {
    if (!isConnected) return;
    let isCurrent = true;
    readMe().then(
      (me) => isCurrent && setOperator(me.is_operator),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [isConnected]);
  return isOperator;
}
