import type { GatewayLimits } from '#bootstrap';
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

export function createLocalAccounts(
  store: AccountStore,
  secret: string | undefined,
  limits: GatewayLimits,
): LocalAccounts {
  const accounts = new Accounts(store);
  const tokens = new AccountTokens(store, secret);
  return {
    accounts,
    known: new KnownAccounts(accounts, tokens),
    signIn: new SignIn(accounts, new Passwords(), tokens, new SignInLimits(limits)),
  };
}
