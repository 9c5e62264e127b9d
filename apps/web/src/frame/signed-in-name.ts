import { useEffect, useState } from 'react';
import { readAccount } from '../connection/http.js';
import { readToken, subjectOf } from '../connection/token.js';
import { readSignInMethod } from '../connection/sign-in-method.js';

/** Who is signed in, by the name that people know; undefined where nobody has to, or until it is known. */
export function useSignedInName(): string | undefined {
  const token = readToken();
  const hasAccount = readSignInMethod() === 'password';
  const [username, setUsername] = useState<string>();
  useEffect(() => {
    if (token === null || !hasAccount) return;
    // The name is an ornament: without it the page is whole.
    readAccount().then(
      (account) => setUsername(account.username),
      () => undefined,
    );
  }, [token, hasAccount]);
  if (token === null) return undefined;
  return hasAccount ? username : subjectOf(token);
}
