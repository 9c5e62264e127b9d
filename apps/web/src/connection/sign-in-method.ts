const KEY = 'switchyard.sign-in';

/** How this server lets people in: with a token of somebody else's, or with a password. */
export type SignInMethod = 'token' | 'password';

/** What the server said when it refused a connection; it says nothing once a token has been taken. */
export function rememberSignInMethod(given: unknown): void {
  if (given === 'token' || given === 'password') localStorage.setItem(KEY, given);
}

export function readSignInMethod(): SignInMethod {
  return localStorage.getItem(KEY) === 'password' ? 'password' : 'token';
}
