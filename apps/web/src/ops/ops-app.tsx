import { useEffect, useState, type ReactNode } from 'react';
import type { Connection } from '../connection/connection.js';
import { readSignInMethod } from '../connection/sign-in-method.js';
import { useOperatorAccess } from '../frame/operator-access.js';
import SignIn from '../frame/sign-in.js';
import { useObservable } from '../session/session.js';
import { FleetWatch } from './fleet-watch.js';
import { operatorApi } from './operator-api.js';
import { OpsPage } from './ops-page.js';

export function OpsApp({ connection }: { connection: Connection }) {
  const { phase, lostAt } = useObservable(connection.state);
  const access = useOperatorAccess(connection);
  useEffect(() => {
    document.title = 'Operations · Switchyard';
  }, []);
  if (phase === 'signed_out') return <SignIn connection={connection} />;
  if (access === 'refused') return <Refused />;
  if (access === 'granted') return <Watched connection={connection} />;
  return (
    <Notice>{lostAt !== undefined && <p>The server cannot be reached. The page tries again.</p>}</Notice>
  );
}

function Watched({ connection }: { connection: Connection }) {
  const [watch] = useState(createWatch);
  const { refusal } = useObservable(watch.state);
  useEffect(() => {
    const wake = () => watch.wake();
    document.addEventListener('visibilitychange', wake);
    watch.open();
    return () => {
      document.removeEventListener('visibilitychange', wake);
      watch.close();
    };
  }, [watch]);
  useEffect(() => {
    if (refusal === 'unauthorized') connection.signOut('expired');
  }, [connection, refusal]);
  return refusal === 'forbidden' ? <Refused /> : <OpsPage watch={watch} />;
}

function createWatch(): FleetWatch {
  return new FleetWatch({
    api: operatorApi,
    hasAccounts: readSignInMethod() === 'password',
    isHidden: () => document.hidden,
    later: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  });
}

function Refused() {
  return (
    <Notice>
      <h1>Only operators see this page</h1>
      <p>You are signed in, but not as an operator. Ask an operator of this server if you need it.</p>
      <a className="button" href="/">
        Back to chat
      </a>
    </Notice>
  );
}

function Notice({ children }: { children?: ReactNode }) {
  return <main className="ops-notice">{children}</main>;
}
