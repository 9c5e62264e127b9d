import { deviceStorage } from '../state/device-storage.js';

const KEY = 'switchyard.sign-in';

/** How users sign in to this server: with a token from another system, or with a password. */
export type SignInMethod = 'token' | 'password';

/**
 * Stores the method that the server named when it refused a connection. It names none once a token has been accepted.
 */
export function rememberSignInMethod(given: unknown): void {
  if (given === 'token' || given === 'password') deviceStorage.set(KEY, given);
}

export function readSignInMethod(): SignInMethod {
  return deviceStorage.get(KEY) === 'password' ? 'password' : 'token';
}
