import type { Connection } from '../connection/connection.js';
import { readSignInMethod } from '../connection/sign-in-method.js';
import { PasswordForm } from './password-form.js';
import { TokenForm } from './token-form.js';

/** Shown when the server requires authentication. */
export default function SignIn({ connection }: { connection: Connection }) {
  const Form = readSignInMethod() === 'password' ? PasswordForm : TokenForm;
  return (
    <main className="sign-in">
      <Form connection={connection} />
    </main>
  );
}
