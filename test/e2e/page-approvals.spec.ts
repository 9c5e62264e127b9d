import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SwitchyardProcess } from '../services/processes.js';
import { connectBrowser } from '../web/browser.js';
import type { Contexts } from '../web/contexts.js';
import { Tab } from './page-tab.js';
import { bearer, get } from './role-doors.js';
import {
  newFolder,
  removeFolders,
  requestJson,
  startStandalone,
  writeSettings,
} from './standalone-process.js';

const PASSWORD = 'correct horse';

describe('the page of people who approve calls of others', () => {
  let switchyard: SwitchyardProcess;
  let contexts: Contexts;
  const tabs: Tab[] = [];

  beforeAll(async () => {
    switchyard = await startStandalone({
      AUTH: 'local',
      DATA_DIR: await newFolder(),
      CONFIG: await writeSettings('switchyard.json', {
        tools: { 'math.multiply': { approvers: ['chief'] } },
      }),
    });
    contexts = await connectBrowser();
    // The first account is the operator's.
    for (const name of ['boss', 'ann', 'cleo']) await register(name);
    const boss = await signedIn('boss');
    const users = await get<{ id: string; username: string }[]>(boss, '/api/admin/users');
    const { id } = users.find(({ username }) => username === 'cleo')!;
    const json = { roles: ['chief'] };
    await requestJson(`${switchyard.url}/api/admin/users/${id}`, {
      method: 'PATCH',
      headers: bearer(boss),
      json,
    });
  }, 60_000);
  afterAll(async () => {
    await Promise.all(tabs.map((tab) => tab.close()));
    await Promise.all([contexts?.browser.close(), switchyard?.kill()]);
    await removeFolders();
  });

  const register = (username: string) =>
    requestJson(`${switchyard.url}/api/auth/register`, {
      method: 'POST',
      json: { username, email: `${username}@example.org`, password: PASSWORD },
    });

  async function signedIn(name: string) {
    const init = { method: 'POST', body: new URLSearchParams({ username: name, password: PASSWORD }) };
    const { access_token: token } = (await (
      await fetch(`${switchyard.url}/api/auth/token`, init)
    ).json()) as {
      access_token: string;
    };
    return { url: switchyard.url, token };
  }

  async function openAs(name: string, options = {}): Promise<Tab> {
    const tab = await Tab.open(contexts, switchyard.url, options);
    tabs.push(tab);
    await tab.page.getByLabel('Username or email').fill(name);
    await tab.page.getByLabel('Password').fill(PASSWORD);
    await tab.page.keyboard.press('Enter');
    await tab.seen('What needs doing?');
    return tab;
  }

  it('lists what waits, and the answer reaches the user who asked', async () => {
    const [ann, cleo] = [await openAs('ann'), await openAs('cleo')];
    await ann.say('call math__multiply with {"a": 6, "b": 7}');
    await ann.seen('Somebody else with the role chief approves it.');
    expect(await ann.page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    expect(await ann.page.getByRole('button', { name: /^Approvals/ }).count()).toBe(0);
    await ann.takePicture('approvals-asked-light');
    await cleo.button('Approvals: 1 call waits').click();
    await cleo.seen('for ann?');
    await cleo.seen('{"a":6,"b":7}');
    await cleo.takePicture('approvals-list-light');
    await cleo.page.emulateMedia({ colorScheme: 'dark' });
    await cleo.takePicture('approvals-list-dark');
    await cleo.button('Approve').click();
    await cleo.seen('Nothing waits for you.');
    await ann.seen('42');
    await ann.hasEnded(1);
    for (const tab of [ann, cleo]) expect(tab.complaints).toEqual([]);
  }, 60_000);

  it('fits a phone', async () => {
    const ann = await openAs('ann');
    await ann.say('call math__multiply with {"a": 2, "b": 3}');
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const cleo = await openAs('cleo', phone);
    await cleo.button('Show conversations').click();
    await cleo.button('Approvals: 1 call waits').click();
    await cleo.seen('for ann?');
    await cleo.takePicture('approvals-list-phone');
    await cleo.button('Deny').click();
    await cleo.seen('Nothing waits for you.');
    await ann.hasEnded(1);
  }, 60_000);
});
