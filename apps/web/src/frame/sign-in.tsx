import { useState } from 'react';
import { useObservable, useSession } from '../session.js';
import { Icon } from './icon.js';

/** The server wants to know who is there. The token stays in this tab. */
export function SignIn() {
  const { connection } = useSession();
  const { problem } = useObservable(connection.state);
  const [token, setToken] = useState('');
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== '') connection.signIn(token.trim());
        }}
      >
        <h1>
          <Icon name="switch" className="mark" />
          Sign in
        </h1>
        <p>This server asks who you are. Paste the token that you were given; it is kept in this tab only.</p>
        <label>
          Token
          <input
            className="field"
            type="password"
            autoComplete="off"
            autoFocus
            aria-describedby={problem && 'sign-in-problem'}
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        {problem && (
          <p id="sign-in-problem" className="sign-in-problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" className="button button-main" disabled={token.trim() === ''}>
          Sign in
        </button>
      </form>
    </main>
  );
}
