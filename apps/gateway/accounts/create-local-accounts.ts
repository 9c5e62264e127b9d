import type { AuthSettings, GatewayLimits } from '#bootstrap';
import { AccountTokens } from './account-tokens.adapter.js';
import { Accounts, type AccountStore } from './accounts.js';
import { KnownAccounts } from './known-accounts.js';
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
  store: AccountStore,
  { auth, limits }: { auth: AuthSettings; limits: GatewayLimits },
): LocalAccounts | undefined {
  if (auth.kind !== 'local') return undefined;
  const accounts = new Accounts(store);
  const tokens = new AccountTokens(store, auth.secret);
  return {
    accounts,
    known: new KnownAccounts(accounts, tokens),
    signIn: new SignIn(accounts, new Passwords(), tokens, new SignInLimits(limits)),
  };
}
