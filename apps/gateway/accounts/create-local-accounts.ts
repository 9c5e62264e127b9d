import type { AuthSettings, GatewayLimits } from '#bootstrap';
import type { Refusals } from '#observability';
import type { BindingStore } from '../dialects/bindings.js';
import { AccountTokens } from './account-tokens.adapter.js';
import { Accounts, type AccountStore } from './accounts.js';
import { KnownAccounts } from './known-accounts.js';
import { KnownNetworks } from './known-networks.js';
import { Passwords } from './passwords.js';
import { SignIn } from './sign-in.js';
import { SignInLimits } from './sign-in-limits.js';

/** What a gateway with `AUTH=local` has beside the others. */
export interface LocalAccounts {
  accounts: Accounts;
  known: KnownAccounts;
  signIn: SignIn;
}

/** Undefined with any other `AUTH`. */
export function createLocalAccounts(
  store: AccountStore & BindingStore,
  { auth, limits }: { auth: AuthSettings; limits: GatewayLimits },
  refusals: Refusals,
): LocalAccounts | undefined {
  if (auth.kind !== 'local') return undefined;
  const accounts = new Accounts(store);
  const tokens = new AccountTokens(store, auth.secret);
  return {
    accounts,
    known: new KnownAccounts(accounts, tokens),
    signIn: new SignIn(
      accounts,
      new Passwords((network) => refusals.note('sign_ins', { address: network })),
      tokens,
      new SignInLimits(limits, refusals),
      new KnownNetworks(store),
    ),
  };
}
