import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountMcpServer, LISTED } from '../fakes/account-mcp-server.js';
import { findFreePort } from '../services/free-port.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { connectBrowser } from '../web/browser.js';
import type { Contexts } from '../web/contexts.js';
import { Tab } from './page-tab.js';
import { newFolder, removeFolders, requestJson, startStandalone } from './standalone-process.js';

const PASSWORD = 'correct horse';

/*
 * The whole way: a real MCP server, a real authorization server (oidc-provider), and people in real browsers.
 */
describe('the page of people whose accounts an MCP server acts with', () => {
  let accounts: AccountMcpServer;
  let switchyard: SwitchyardProcess;
  let contexts: Contexts;
  const tabs: Tab[] = [];

  beforeAll(async () => {
    accounts = await AccountMcpServer.start();
    const [folder, port] = [await newFolder(), await findFreePort()];
    const server = { url: accounts.url, scope: 'user', oauth: { tools: 'tools.json' }, class: 'read' };
    await writeFile(join(folder, 'tools.json'), JSON.stringify(LISTED));
    await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { notes: server } }));
    switchyard = await startStandalone({
      PORT: String(port),
      AUTH: 'local',
      DATA_DIR: await newFolder(),
      MCP_CONFIG: join(folder, 'mcp.json'),
      TOKEN_KEYS: randomBytes(32).toString('base64'),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    });
    contexts = await connectBrowser();
    for (const username of ['ann', 'bob'])
      await requestJson(`${switchyard.url}/api/auth/register`, {
        method: 'POST',
        json: { username, email: `${username}@example.org`, password: PASSWORD },
      });
  }, 60_000);
  afterAll(async () => {
    await Promise.all(tabs.map((tab) => tab.close()));
    await Promise.all([contexts?.browser.close(), switchyard?.kill()]);
    await Promise.all([accounts?.stop(), removeFolders()]);
  });

  async function openAs(name: string): Promise<Tab> {
    const tab = await Tab.open(contexts, switchyard.url);
    tabs.push(tab);
    await tab.page.getByLabel('Username or email').fill(name);
    await tab.page.getByLabel('Password').fill(PASSWORD);
    await tab.page.keyboard.press('Enter');
    await tab.seen('What needs doing?');
    return tab;
  }

  /** Clicks "Connect", and gives access in the tab that opens. */
  async function connect({ page }: Tab, account: string): Promise<void> {
    accounts.issuer.person = account;
    const opened = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Connect notes' }).click();
    const issuer = await opened;
    await issuer.getByRole('link', { name: 'Allow' }).click();
    // One page asks who it is, another one for access.
    await issuer.getByRole('link', { name: 'Allow' }).or(issuer.getByText('Connected')).first().waitFor();
    if (!issuer.url().startsWith(switchyard.url)) await issuer.getByRole('link', { name: 'Allow' }).click();
    await issuer.getByText('You can close this tab.').waitFor();
    await issuer.close();
  }

  it('asks in the conversation, goes on when the account is connected, and acts as each user', async () => {
    const ann = await openAs('ann');
    await ann.say('call notes__whoami with {}');
    await ann.seen('notes acts with your account there.');
    await ann.takePicture('connect-asked-light');
    await connect(ann, 'ann-there');
    await ann.seen('account ann-there');
    await ann.say('call notes__whoami with {}');
    await ann.hasEnded(2);
    expect(await ann.button('Connect notes').count()).toBe(0);

    const bob = await openAs('bob');
    await bob.say('call notes__whoami with {}');
    await bob.page.setViewportSize({ width: 390, height: 844 });
    await bob.seen('notes acts with your account there.');
    await bob.takePicture('connect-asked-phone');
    await connect(bob, 'bob-there');
    await bob.seen('account bob-there');
    expect(accounts.issuer.tokenRequests).toEqual(['authorization_code', 'authorization_code']);
  });

  it('lists what is connected, and gives it back to the issuer when it is removed', async () => {
    const ann = await openAs('ann');
    await ann.button('Usage').click();
    await ann.seen('Connected accounts');
    await ann.takePicture('connected-accounts');
    const { y = 0, height = 0 } = (await ann.button('Close').boundingBox()) ?? {};
    expect(y + height).toBeLessThan(ann.page.viewportSize()!.height);
    await ann.page.keyboard.press('Enter');
    await ann.page.getByText('Connected accounts').waitFor({ state: 'detached' });
    await ann.button('Usage').click();
    await ann.button('Remove notes').click();
    await ann.seen('No connected accounts.');
    // Bob's stays.
    expect(accounts.issuer.refreshTokens).toBe(1);
    await ann.button('Close').click();
    await ann.say('call notes__whoami with {}');
    await ann.seen('notes acts with your account there.');
    await ann.button('Decline').focus();
    await ann.page.keyboard.press('Enter');
    await ann.seen('which the person declined');
    const focused = await ann.page.evaluate<string>('document.activeElement.className');
    expect(focused).toContain('call-row');
  });
});
