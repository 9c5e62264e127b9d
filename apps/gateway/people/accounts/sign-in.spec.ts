import { expect, it } from '@jest/globals';
import type { Account } from '#contracts';
import { SignIn, type SignInParts } from './sign-in.js';

const ACCOUNT = { _id: 'user_1', username: 'ann', password: 'stored', is_active: true } as Account;

/** With one account, whose password is `right`, and a note of what each attempt has cost. */
function setUp() {
  const compared: string[] = [];
  const parts = {
    accounts: { find: async (name: string) => (name === 'ann' ? ACCOUNT : null) },
    passwords: {
      isRight: async (_address: string, password: string, stored: string | undefined) => {
        compared.push(stored ?? 'nobody’s');
        return stored === 'stored' && password === 'right';
      },
    },
    tokens: { issue: async (key: string) => `token of ${key}` },
    limits: { begin: () => ({ against: () => undefined, forget: () => undefined }) },
    networks: { has: async () => false, add: async () => undefined },
  };
  return { compared, signIn: new SignIn(parts as unknown as SignInParts) };
}

it('sign-in does the password work for an unknown name too, so that its duration does not reveal which names exist', async () => {
  const { compared, signIn } = setUp();
  const refusals = ['nobody', 'ann'].map((name) =>
    signIn.signIn('192.0.2.1', name, 'wrong').catch((error: unknown) => error),
  );
  const [unknown, wrong] = await Promise.all(refusals);
  expect(unknown).toMatchObject({ code: 'unauthorized' });
  expect(unknown).toEqual(wrong);
  expect(compared.toSorted()).toEqual(['nobody’s', 'stored']);
});

it('sign-in with the right password returns a token', async () => {
  const { signIn } = setUp();
  expect(await signIn.signIn('192.0.2.1', 'ann', 'right')).toEqual({
    access_token: 'token of user_1',
    token_type: 'bearer',
  });
});
