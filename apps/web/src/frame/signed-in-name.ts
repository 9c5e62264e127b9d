import { useEffect, useState } from 'react';
import { readAccount } from '../connection/http.js';
import { readToken, subjectOf } from '../connection/token.js';
import { readSignInMethod } from '../connection/sign-in-method.js';

/** The display name of the signed-in user; undefined without sign-in, or until it is known. */
export function useSignedInName(): string | undefined {
  const token = readToken();
  const hasAccount = readSignInMethod() === 'password';
  const [username, setUsername] = useState<string>();
  useEffect(() => {
    if (token === null || !hasAccount) return;
    // The name is optional: the page is complete without it.
    readAccount().then(
      (account) => setUsername(account.username),
      () => undefined,
    );
  }, [token, hasAccount]);
  if (token === null) return undefined;
  return hasAccount ? username : subjectOf(token);
}
