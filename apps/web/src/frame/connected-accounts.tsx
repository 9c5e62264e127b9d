import { useState } from 'react';
import { HttpError, removeConnection, type ConnectedAccount } from '../connection/http.js';

/** The accounts that MCP servers may use; nothing when there was none. */
export function ConnectedAccounts({ initial }: { initial: ConnectedAccount[] }) {
  const [accounts, setAccounts] = useState(initial);
  const [problem, setProblem] = useState<string>();
  const remove = async (id: string) => {
    try {
      await removeConnection(id);
      setAccounts((now) => now.filter((account) => account.id !== id));
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof HttpError ? error.message : 'The account could not be removed.');
    }
  };
  if (initial.length === 0) return null;
  return (
    <section aria-label="Connected accounts">
      <h3>Connected accounts</h3>
      {problem && (
        <p className="quiet" role="alert">
          {problem}
        </p>
      )}
      {accounts.length === 0 && <p className="quiet">No connected accounts.</p>}
      {accounts.map(({ id, server, issuer }) => (
        <p key={id} className="account-row">
          <span className="grow cut" title={issuer}>
            {server}
          </span>
          <button
            type="button"
            className="button"
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
