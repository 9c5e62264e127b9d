import { useEffect, useState, type SubmitEvent } from 'react';
import { readRegistration, register, requestToken, type Registration } from '../connection/accounts.js';
import type { Connection } from '../connection/connection.js';
import { HttpError } from '../connection/http.js';
import { forgetInvitation, readInvitation } from '../connection/invitation.js';
import { useObservable } from '../session/session.js';
import { SIGN_IN_PROBLEM, SignInHeading, SignInProblem } from './sign-in-parts.js';

const TEXTS = {
  refused: 'You have been signed out. Sign in again.',
  expired: 'Your session has ended. Sign in again: nothing that you wrote is lost.',
};

/** Signs in with a password, or first creates an account if that is possible. */
export function PasswordForm({ connection }: { connection: Connection }) {
  const registration = useRegistration();
  const [invitation] = useState(readInvitation);
  const canRegister = registration === 'open' || (registration === 'invite' && invitation !== undefined);
  const [chosen, setChosen] = useState<boolean>();
  const isNew = canRegister && (chosen ?? invitation !== undefined);
  const { problem, isBusy, submit, forgetRefusal } = useEntry(connection, isNew, invitation);
  const change = () => {
    forgetRefusal();
    setChosen(!isNew);
  };
  return (
    <form onSubmit={submit} aria-describedby={problem && SIGN_IN_PROBLEM}>
      <SignInHeading>{isNew ? 'Create an account' : 'Sign in'}</SignInHeading>
      {isNew ? <NewAccountFields key="new" /> : <AccountFields key="known" />}
      <SignInProblem>{problem}</SignInProblem>
      <button type="submit" className="button button-main" disabled={isBusy}>
        {isNew ? 'Create account' : 'Sign in'}
      </button>
      {canRegister ? (
        <button type="button" className="button button-ghost" disabled={isBusy} onClick={change}>
          {isNew ? 'I have an account' : 'Create an account'}
        </button>
      ) : (
        <NoRegistration registration={registration} isInvited={invitation !== undefined} />
      )}
    </form>
  );
}

/** The action of the form, and its result. */
function useEntry(connection: Connection, isNew: boolean, invitation: string | undefined) {
  const { reason } = useObservable(connection.state);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string) => {
      const entry = given.get(name);
      return typeof entry === 'string' ? entry : '';
    };
    setBusy(true);
    setRefusal(undefined);
    enter(isNew, text, invitation)
      .then((token) => connection.signIn(token))
      .catch((error: unknown) => {
        setBusy(false);
        setRefusal(error instanceof HttpError ? error.message : 'Something went wrong.');
      });
  };
  const problem = refusal ?? (reason && TEXTS[reason]);
  return { problem, isBusy, submit, forgetRefusal: () => setRefusal(undefined) };
}

/** Undefined until the server has answered. */
function useRegistration(): Registration | undefined {
  const [registration, setRegistration] = useState<Registration>();
  useEffect(() => {
    readRegistration().then(setRegistration, () => undefined);
  }, []);
  return registration;
}

function NoRegistration({
  registration,
  isInvited,
}: {
  registration: Registration | undefined;
  isInvited: boolean;
}) {
  if (registration === undefined) return null;
  const words =
    registration === 'invite'
      ? 'No account? Ask an operator of this server for an invitation.'
      : isInvited
        ? 'Registration is closed, so this invitation cannot be used.'
        : 'Registration is closed.';
  return <p className="sign-in-note">{words}</p>;
}

async function enter(
  isNew: boolean,
  text: (name: string) => string,
  invitation: string | undefined,
): Promise<string> {
  const [username, password] = [text('username'), text('password')];
  if (isNew) {
    const full_name = text('full_name');
    await register({
      email: text('email'),
      username,
      password,
      full_name,
      ...(invitation !== undefined && { invitation }),
    });
    forgetInvitation();
  }
  return requestToken(username, password);
}

function AccountFields() {
  return (
    <>
      <Field label="Username or email" name="username" autoComplete="username" autoFocus required />
      <Field label="Password" name="password" type="password" autoComplete="current-password" required />
    </>
  );
}

function NewAccountFields() {
  return (
    <>
      <Field label="Email" name="email" type="email" autoComplete="email" autoFocus required />
      <Field label="Username" name="username" autoComplete="username" minLength={3} maxLength={50} required />
      <Field label="Full name (optional)" name="full_name" autoComplete="name" maxLength={100} />
      <Field
        label="Password, at least 8 characters"
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={8}
        maxLength={100}
        required
      />
    </>
  );
}

function Field({ label, ...input }: { label: string } & React.ComponentProps<'input'>) {
  return (
    <label>
      {label}
      <input className="field" {...input} />
    </label>
  );
}
