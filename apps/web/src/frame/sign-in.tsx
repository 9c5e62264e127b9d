import { readSignInMethod } from '../connection/sign-in-method.js';
import { PasswordForm } from './password-form.js';
import { TokenForm } from './token-form.js';

/** Shown when the server requires authentication. */
export function SignIn() {
  return (
    <main className="sign-in">{readSignInMethod() === 'password' ? <PasswordForm /> : <TokenForm />}</main>
  );
}
