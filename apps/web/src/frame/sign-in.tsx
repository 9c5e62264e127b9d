import { readWayIn } from '../connection/way-in.js';
import { PasswordForm } from './password-form.js';
import { TokenForm } from './token-form.js';

/** The server wants to know who is there. */
export function SignIn() {
  return <main className="sign-in">{readWayIn() === 'password' ? <PasswordForm /> : <TokenForm />}</main>;
}
