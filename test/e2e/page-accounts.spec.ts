import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, SignJWT } from 'jose';
import type { BrowserContextOptions } from 'playwright-core';
import type { SwitchyardProcess } from '../services/processes.js';
import { connectBrowser } from '../web/browser.js';
import type { Contexts } from '../web/contexts.js';
import { Tab } from './page-tab.js';
import { newFolder, removeFolders, startStandalone } from './standalone-process.js';

const secret = 'a secret of tests that has at least 32 characters';
let switchyard: SwitchyardProcess;
let contexts: Contexts;
let tab: Tab;
beforeAll(async () => {
  switchyard = await startStandalone({ AUTH: 'local', JWT_SECRET: secret, DATA_DIR: await newFolder() });
  contexts = await connectBrowser();
}, 60_000);
afterAll(async () => {
  await Promise.all([contexts?.browser.close(), switchyard?.kill()]);
  await removeFolders();
});
afterEach(async () => {
  await tab.close();
  // A refused password is what some of these are about.
  expect(tab.complaints.filter((text) => !/status of 40[013]/.test(text))).toEqual([]);
});

const open = async (options: BrowserContextOptions = {}, url = switchyard.url) => {
  tab = await Tab.open(contexts, url, options);
  await tab.page.getByRole('heading', { name: 'Sign in' }).waitFor();
};
const field = (name: string) => tab.page.getByLabel(name);

async function signIn(name: string, password: string): Promise<void> {
  await field('Username or email').fill(name);
  await field('Password').fill(password);
  await tab.page.keyboard.press('Enter');
}

async function register(name: string, password: string): Promise<void> {
  await tab.button('Create an account').click();
  await field('Email').fill(`${name}@example.org`);
  await field('Username').fill(name);
  await field('Password, at least 8 characters').fill(password);
  await tab.button('Create account').click();
}

/** Puts another token for the same person in the place of the one that the page has. */
async function shortenToken(seconds: number): Promise<void> {
  const token = await tab.page.evaluate<string>('sessionStorage.getItem("switchyard.token")');
  const short = await new SignJWT({ type: 'access' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(decodeJwt(token).sub!)
    .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
    .sign(new TextEncoder().encode(secret));
  await tab.page.evaluate(`sessionStorage.setItem("switchyard.token", "${short}")`);
  await tab.page.reload();
}

describe('a server with accounts', () => {
  it('lets people register, chat, sign out and return', async () => {
    await open();
    await tab.takePicture('accounts-sign-in-light');
    await signIn('ann', 'correct horse');
    await tab.seen('Incorrect username or password');
    expect(await field('Username or email').inputValue()).toBe('ann');
    await tab.takePicture('accounts-refused-light');
    await register('ann', 'correct horse');
    await tab.seen('What needs doing?');
    await tab.say('what is 17 + 25?');
    await tab.reads('17 + 25 = 42');
    await tab.hasEnded(1);
    await tab.page.reload();
    await tab.hasEnded(1);
    await tab.page.getByText('ann', { exact: true }).waitFor();
    await tab.button('Sign out').click();
    await field('Username or email').waitFor();
    expect(await tab.page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('eyJ');
    await signIn('ANN@example.org', 'correct horse');
    await tab.page.getByRole('link', { name: /17 \+ 25/ }).click();
    await tab.reads('17 + 25 = 42');
  });

  it('explains why an account was refused, and keeps the input', async () => {
    await open();
    await register('bea', 'correct horse');
    await tab.seen('What needs doing?');
    await tab.button('Sign out').click();
    await register('bea', 'correct horse');
    await tab.seen('This email is already registered.');
    expect(await field('Email').inputValue()).toBe('bea@example.org');
    await tab.button('I have an account').click();
    expect(await tab.page.getByRole('alert').count()).toBe(0);
    await signIn('bea', 'correct horse');
    await tab.seen('What needs doing?');
  });

  it('shows the form again when the session ends, and loses no input', async () => {
    await open();
    await register('cleo', 'correct horse');
    await tab.seen('What needs doing?');
    await tab.say('what is 20 + 3?');
    await tab.reads('20 + 3 = 23');
    await tab.hasEnded(1);
    // Long enough for the page to be opened again.
    await shortenToken(10);
    await tab.hasEnded(1);
    await tab.composer.fill('half of a question');
    await tab.seen('Your session has ended. Sign in again: nothing that you wrote is lost.');
    await tab.takePicture('accounts-ended-light');
    await signIn('cleo', 'correct horse');
    await tab.reads('20 + 3 = 23');
    expect(await tab.composer.inputValue()).toBe('half of a question');
  });

  it('shows the next person nothing of the previous one', async () => {
    await open();
    await register('dora', 'correct horse');
    await tab.say('what is 30 + 4?');
    await tab.hasEnded(1);
    await tab.composer.fill('a secret of Dora');
    await tab.page.evaluate('sessionStorage.clear()');
    await tab.page.reload();
    await register('edgar', 'correct horse');
    await tab.seen('Your conversations will be listed here.');
    expect(await tab.page.evaluate('JSON.stringify(localStorage)')).not.toContain('Dora');
  });

  it('fits a phone and the dark', async () => {
    const phone = { width: 390, height: 844 };
    await open({ viewport: phone, colorScheme: 'dark' });
    await tab.takePicture('accounts-phone-dark');
    await tab.button('Create an account').click();
    await field('Email').waitFor();
    await tab.takePicture('accounts-new-phone-dark');
    const { x, width } = (await tab.page.locator('form').boundingBox())!;
    expect(x).toBeGreaterThanOrEqual(16);
    expect(x + width).toBeLessThanOrEqual(phone.width - 16);
    await field('Email').fill('no address');
    await tab.button('Create account').click();
    await tab.isFocused(field('Email'));
  });
});

describe('a server with invitations', () => {
  let invited: SwitchyardProcess;
  beforeAll(async () => {
    invited = await startStandalone({ AUTH: 'local', REGISTRATION: 'invite', DATA_DIR: await newFolder() });
  }, 60_000);
  afterAll(() => invited?.kill());

  const send = async (
    path: string,
    body: object | URLSearchParams,
    token = '',
  ): Promise<{ token: string }> => {
    const isForm = body instanceof URLSearchParams;
    const response = await fetch(`${invited.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...(!isForm && { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    });
    const answer = (await response.json()) as { token?: string; access_token?: string };
    return { token: answer.token ?? answer.access_token ?? '' };
  };
  const heading = (name: string) => tab.page.getByRole('heading', { name });

  it('offers an account to the first person, then to people with an unused link', async () => {
    await open({}, invited.url);
    await register('boss', 'correct horse');
    await tab.seen('What needs doing?');
    await tab.close();

    await open({}, invited.url);
    await tab.seen('No account? Ask an operator of this server for an invitation.');
    expect(await tab.button('Create an account').count()).toBe(0);
    await tab.takePicture('accounts-no-invitation-light');
    await tab.close();

    const form = new URLSearchParams({ username: 'boss', password: 'correct horse' });
    const { token: operator } = await send('/api/auth/token', form);
    const { token } = await send('/api/admin/invitations', {}, operator);
    const link = `${invited.url}/#invitation=${token}`;
    const openLink = async () => {
      tab = await Tab.open(contexts, link);
      await heading('Create an account').waitFor();
    };
    const fill = async (name: string) => {
      await field('Email').fill('guest@example.org');
      await field('Username').fill(name);
      await field('Password, at least 8 characters').fill('correct horse');
      await tab.button('Create account').click();
    };
    await openLink();
    await tab.takePicture('accounts-invitation-light');
    await fill('B\u043ess');
    await tab.seen('This username looks like one that is already taken.');
    await fill('guest');
    await tab.seen('What needs doing?');
    expect(tab.page.url()).not.toContain(token);
    await tab.close();

    await openLink();
    await fill('late');
    await tab.seen(/^This invitation was used or withdrawn, or it has expired/);
    await tab.takePicture('accounts-invitation-used-light');
    await tab.page.setViewportSize({ width: 390, height: 844 });
    await tab.takePicture('accounts-invitation-used-phone');
    await tab.button('I have an account').click();
    await signIn('guest', 'correct horse');
    await tab.seen('What needs doing?');
  });

  for (const [name, options] of [
    ['light', {}],
    ['phone', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const }],
  ] as const) {
    it(`says that registration is closed, where it is, ${name}`, async () => {
      const context = await contexts.takeOnce(options);
      await context.route('**/api/auth/registration', (route) =>
        route.fulfill({ json: { registration: 'closed' } }),
      );
      tab = await Tab.show(contexts, context, `${invited.url}/#invitation=x`);
      await tab.seen('Registration is closed, so this invitation cannot be used.');
      expect(await tab.button('Create an account').count()).toBe(0);
      await tab.takePicture(`accounts-closed-${name}`);
    });
  }
});
