import { useEffect, useState } from 'react';
import { HttpError, listConnections, removeConnection, type ConnectedAccount } from '../connection/http.js';

/** The accounts that MCP servers may use; nothing while there is none. */
export function ConnectedAccounts() {
  const [accounts, setAccounts] = useState<ConnectedAccount[]>([]);
  const [problem, setProblem] = useState<string>();
  const fail = (error: unknown) =>
    setProblem(error instanceof HttpError ? error.message : 'Connected accounts could not be read.');
  useEffect(() => {
    let isShown = true;
    listConnections().then(
      ({ connections }) => isShown && setAccounts(connections),
      (error: unknown) => isShown && fail(error),
    );
    return () => {
      isShown = false;
    };
  }, []);
  const remove = (id: string) =>
    removeConnection(id).then(() => setAccounts((now) => now.filter((account) => account.id !== id)), fail);
  if (accounts.length === 0) return problem === undefined ? null : <p className="quiet">{problem}</p>;
  return (
    <section aria-label="Connected accounts">
      <h3>Connected accounts</h3>
      {problem && <p className="quiet">{problem}</p>}
      {accounts.map(({ id, server, issuer }) => (
        <p key={id} className="menu-actions">
          <span className="grow cut" title={issuer}>
            {server}
          </span>
          <button
            type="button"
            className="button button-ghost"
            aria-label={`Remove ${server}`}
            onClick={() => void remove(id)}
          >
            Remove
          </button>
        </p>
      ))}
    </section>
  );
}
