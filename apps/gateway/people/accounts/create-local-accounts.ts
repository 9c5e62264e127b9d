import type { AuthSettings, GatewayLimits, RegistrationSetting } from '#bootstrap';
import type { ActionLog } from '#journal';
import type { Refusals } from '#observability';
import type { Time } from '#time';
import type { SharedCounts } from '../../limits/shared-counts.js';
import type { BindingStore } from '../bindings.js';
import { AccountTokens } from './account-tokens.adapter.js';
import { Accounts, type AccountStore } from './accounts.js';
import { Invitations, type InvitationStore } from './invitations.js';
import { KnownAccounts } from './known-accounts.js';
import { KnownNetworks } from './known-networks.js';
import { Passwords, type PasswordCost } from './passwords.js';
import { Registration } from './registration.js';
import { Sessions } from './sessions.js';
import { SignIn } from './sign-in.js';
import { SignInLimits } from './sign-in-limits.js';

/** The additional parts of a gateway with `AUTH=local`. */
export interface LocalAccounts {
  accounts: Accounts;
  known: KnownAccounts;
  sessions: Sessions;
  signIn: SignIn;
  registration: Registration;
  invitations: Invitations;
  actions: Pick<ActionLog, 'note'>;
}

/** Undefined with any other `AUTH`. */
export function createLocalAccounts(
  store: AccountStore & BindingStore & InvitationStore,
  {
    auth,
    limits,
    registration: setting,
  }: { auth: AuthSettings; limits: GatewayLimits; registration: RegistrationSetting },
  {
    refusals,
    counts,
    time,
    actions,
  }: { refusals: Refusals; counts: SharedCounts; time: Time; actions: Pick<ActionLog, 'note'> },
  passwordCost: PasswordCost,
): LocalAccounts | undefined {
  if (auth.kind !== 'local') return undefined;
  const { clock } = time;
  const accounts = new Accounts(store, time);
  const tokens = new AccountTokens(store, auth.secret, clock);
  const sessions = new Sessions(store, clock);
  const invitations = new Invitations(store, clock);
  const registration = new Registration(setting, store, invitations);
  return {
    accounts,
    registration,
    invitations,
    actions,
    sessions,
    known: new KnownAccounts(accounts, tokens, sessions, clock),
    signIn: new SignIn({
      accounts,
      passwords: new Passwords((network) => refusals.note('sign_ins', { address: network }), passwordCost),
      tokens,
      sessions,
      limits: new SignInLimits(limits, refusals, counts, clock),
      networks: new KnownNetworks(store, clock),
      registration,
      invitations,
    }),
  };
}
