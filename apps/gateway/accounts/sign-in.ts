import type { Account } from '#contracts';
import { RequestError } from '../errors/request-error.js';
import type { AccountTokens } from './account-tokens.adapter.js';
import { keyOfName } from './account-keys.js';
import { toAccountBody, type AccountBody, type Accounts, type NewAccount } from './accounts.js';
import type { Passwords } from './passwords.js';
import type { SignInLimits } from './sign-in-limits.js';

/** As OAuth 2 has it. */
export interface TokenBody {
  access_token: string;
  token_type: 'bearer';
}

/** `AUTH=local`: who registers, and who gets a token for a password. */
export class SignIn {
  constructor(
    private readonly accounts: Accounts,
    private readonly passwords: Passwords,
    private readonly tokens: AccountTokens,
    private readonly limits: SignInLimits,
  ) {}

  /** @param address where the request comes from */
  async register(address: string, given: NewAccount): Promise<AccountBody> {
    this.limits.register(address);
    const password = await this.passwords.hash(given.password);
    return toAccountBody(await this.accounts.register({ ...given, password }));
  }

  /** Unknown, inactive and a wrong password are one answer after the same work. */
  async signIn(address: string, name: string, password: string): Promise<TokenBody> {
    const attempt = this.limits.begin(address, keyOfName(name).key);
    let isWrong = false;
    try {
      const account = await this.accounts.find(name);
      const isRight = await this.passwords.isRight(password, account?.password);
      isWrong = !isRight || !account?.is_active;
      if (isWrong) throw new RequestError('unauthorized', 'Incorrect username or password');
      return { access_token: await this.tokens.issue(account!._id), token_type: 'bearer' };
    } finally {
      if (!isWrong) attempt.forget();
    }
  }

  /** The account that the token is of. Throws `RequestError` `unauthorized`, or `forbidden` for an inactive one. */
  async whoIs(token: string | undefined): Promise<AccountBody> {
    const { accountId } = await this.tokens.read(token);
    const account: Account | null = await this.accounts.get(accountId);
    if (!account) throw new RequestError('unauthorized', 'The token is not valid.');
    if (!account.is_active) throw new RequestError('forbidden', 'This account is not active.');
    return toAccountBody(account);
  }
}
