import { useState } from 'react';
import type { Connection } from '../connection/connection.js';
import { useObservable } from '../session/session.js';
import { SIGN_IN_PROBLEM, SignInHeading, SignInProblem } from './sign-in-parts.js';

const TEXTS = { refused: 'This token was not accepted.', expired: 'Your token has expired.' };

/** Accepts a token from another system. It stays in this tab. */
export function TokenForm({ connection }: { connection: Connection }) {
  const { reason } = useObservable(connection.state);
  const [token, setToken] = useState('');
  const problem = reason && TEXTS[reason];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (token.trim() !== '') connection.signIn(token.trim());
      }}
    >
      <SignInHeading>Sign in</SignInHeading>
      <p>This server asks who you are. Paste the token that you were given; it is kept in this tab only.</p>
      <label>
        Token
        <input
          className="field"
          type="password"
          autoComplete="off"
          autoFocus
          aria-describedby={problem && SIGN_IN_PROBLEM}
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
      </label>
      <SignInProblem>{problem}</SignInProblem>
      <button type="submit" className="button button-main" disabled={token.trim() === ''}>
        Sign in
      </button>
    </form>
  );
}
