import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Message } from '#contracts';
import { testPeers } from '#journal/testing';
import { SystemClock } from '#time';
import { signToken } from '../../apps/gateway/people/auth/json-web-token.adapter.js';
import { JWT_SECRET, startHarness, type Harness } from '../integration/gateway/gateway-harness.js';
import { waitFor } from '../services/wait-for.js';
import { connectBrowser, findPage, openPage, takePicture } from './browser.js';
import type { Contexts } from './contexts.js';
import { beatOnce, CONTENT, LOST_WORKER, plantFleet, WAITING_TURN } from './ops-scene.js';

const AUTH = { kind: 'jwt' as const, secret: JWT_SECRET };
const laptop = { width: 1280, height: 800 };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let harness: Harness;
let contexts: Contexts;
let page: Page;
let complaints: string[] = [];
const hints: Message[] = [];
beforeAll(async () => {
  const [pageDir, opened] = await Promise.all([findPage(), connectBrowser()]);
  contexts = opened;
  const peers = testPeers(new Set([LOST_WORKER]));
  harness = await startHarness({ pageDir, config: { auth: AUTH }, alter: () => ({ peers }) });
  await harness.driver.consume('turns', { prefetch: 10 }, async ({ message }) => {
    hints.push(message);
    return 'ack';
  });
  await plantFleet(harness);
}, 60_000);
afterAll(async () => {
  await Promise.all([contexts?.browser.close(), harness?.stop()]);
});
afterEach(async () => {
  await contexts.giveBack(page.context());
  expect(complaints).toEqual([]);
});

async function open(path: string, options: BrowserContextOptions = {}): Promise<void> {
  ({ page, complaints } = await openPage(await contexts.take(options), harness.url + path));
}

async function openAs(id: string, isOperator: boolean, path = '/ops', options: BrowserContextOptions = {}) {
  await open(path, options);
  await page.getByLabel('Token').fill(await signToken(new SystemClock(), { id, isOperator }, 1, AUTH));
  await page.keyboard.press('Enter');
}

const openOps = (options?: BrowserContextOptions, path?: string) => openAs('olga', true, path, options);
const seen = (text: string | RegExp) => page.getByText(text).first().waitFor();
const table = (name: string) =>
  page.getByRole('table').and(page.getByRole('region', { name }).locator('table'));
const row = (name: string, text: string) => table(name).getByRole('row').filter({ hasText: text });
const cells = (name: string, text: string) => row(name, text).first().locator('th, td').allInnerTexts();
/** Everything that a page can show, also what is only in attributes. */
const wholePage = () => page.evaluate<string>('document.documentElement.outerHTML');
const loadedFiles = () =>
  page.evaluate<string[]>('performance.getEntriesByType("resource").map(({ name }) => name)');
const focusedText = () => page.evaluate<string>('document.activeElement.textContent');
const scrollsSideways = () =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describe('the page of operators', () => {
  it('is refused to other users, with a way back', async () => {
    await openAs('ann', false);
    await seen('Only operators see this page');
    await takePicture(page, 'ops-refused');
    await page.getByRole('link', { name: 'Back to chat' }).click();
    await seen('What needs doing?');
    expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(0);
  });

  it('is reached from the chat, which does not load it before, and is there again after a reload', async () => {
    await openAs('olga', true, '/');
    const link = page.getByRole('link', { name: 'Operations' });
    await link.waitFor();
    expect(await loadedFiles()).not.toContainEqual(expect.stringContaining('ops'));
    await link.click();
    await seen('Five things need you');
    expect(await loadedFiles()).toContainEqual(expect.stringContaining('ops'));
    await page.reload();
    await seen('Five things need you');
    await page.getByRole('link', { name: 'Back to chat' }).click();
    await seen('What needs doing?');
  });

  it('shows what needs an operator, toolsets and processes', async () => {
    await openOps();
    await seen('Five things need you');
    expect(await page.getByRole('status').innerText()).toMatch(
      /1 process stopped beating; mail has no worker; orders differs between its workers; warehouse falls behind; 3 messages could not be delivered\. The rest is healthy\.\s+Switched by operators: orchestrator-2b9e4c11 drains\.$/,
    );
    expect(await cells('Toolsets', 'warehouse')).toEqual([
      'warehouse\nMCP',
      '1',
      '',
      '41',
      expect.stringMatching(/^(\d+ min )?\d+ s$/),
      '29 s',
      '1.4',
      '4 of 4',
      'keyed',
      '',
    ]);
    expect(await cells('Toolsets', 'mail')).toContain('none');
    expect(await row('Toolsets', 'mail').innerText()).toContain('No worker is running.');
    expect(await row('Toolsets', 'orders').innerText()).toMatch(/differs.*orders\.refund/s);
    expect(await cells('Processes', 'Tool workers')).toEqual([
      'Tool workers\n5',
      '',
      '8 of 52 slots, 1 lost',
      '0.1.9, 0.2.0',
      '',
      '',
    ]);
    expect(await cells('Processes', 'worker-5e0f5d5c')).toEqual([
      'worker-5e0f5d5c',
      'node-2',
      '0 of 8 slots',
      'lost',
      '0.2.0',
      '8 h 0 min',
      '',
    ]);
    expect(await row('Processes', 'orchestrator-2b9e4c11').innerText()).toMatch(/draining.*Undo/s);
    expect(await cells('Switches', 'drains')).toEqual([
      'orchestrator-2b9e4c11 drains',
      expect.stringMatching(/^20 min/),
      'Undo',
    ]);
    expect(
      await page.getByRole('region', { name: 'Switches' }).locator('.ops-switch-reason').innerText(),
    ).toBe('By olga: New disk for node-3');
    expect(await cells('Model budgets', 'anthropic')).toEqual([
      'anthropic',
      '412 of 600',
      '0 of 2,000,000',
      '3 of 40',
      '2',
    ]);
    expect(await row('Model budgets', 'openai/gpt-6').innerText()).toContain('paused for 12 s');
    expect(await cells('Accounts and usage', 'mira')).toEqual([
      'mira',
      '310,400',
      '120,000',
      '14,020',
      '4.2',
    ]);
  });

  it('says why a chosen turn waits, and what happened to it', async () => {
    await openOps();
    await seen('Choose a turn in the list');
    const turns = await table('Turns running and stuck').locator('tbody th').allInnerTexts();
    expect(turns).toEqual(['turn_2', WAITING_TURN]);
    await page.getByRole('link', { name: WAITING_TURN }).first().press('Enter');
    await seen(/^Call 3 of step 1 \(warehouse\.reserve\) waits for a worker: 41 in the queue, 1 worker/);
    const timeline = page.locator('.ops-timeline li');
    expect(await timeline.filter({ hasText: 'orders.search done' }).innerText()).toMatch(/ran 308 ms/);
    expect(await timeline.filter({ hasText: 'without a change' }).count()).toBeGreaterThan(0);
    expect(await timeline.filter({ hasText: 'Starts, at the present rate' }).count()).toBe(1);
    await page.reload();
    await seen(/^Call 3 of step 1/);
    await page.getByLabel('Look up a turn by its id').fill('turn_2');
    await page.keyboard.press('Enter');
    await seen(/^Call 1 of step 1 \(mail\.send\) waits for a worker of its toolset, and none is running/);
    await page.getByLabel('Look up a turn by its id').fill('turn_unknown');
    await page.keyboard.press('Enter');
    await seen('There is no turn with this id.');
    await page.getByRole('button', { name: 'Close this turn' }).click();
    await seen('Choose a turn in the list');
    await page.evaluate('location.hash = "#/turns/%"');
    await seen('There is no turn with this id.');
    await page.reload();
    await seen('There is no turn with this id.');
  });

  it('leaves the focus where it is while it reads the fleet again', async () => {
    await openOps();
    await page.getByRole('button', { name: 'Look at the message from turns' }).click();
    const dialog = page.getByRole('dialog', { name: 'Dead letter' });
    await dialog.getByRole('button', { name: 'Discard' }).focus();
    const before = await page.locator('.ops-live').innerText();
    await waitFor(async () => (await page.locator('.ops-live').innerText()) !== before, {
      what: 'another round',
    });
    expect(await focusedText()).toBe('Discard');
    await page.keyboard.press('Escape');
    expect(await focusedText()).toBe('Look');
  });

  it('shows nothing that people, models and tools wrote, wherever one looks', async () => {
    await openOps({}, `/ops#/turns/${WAITING_TURN}`);
    await seen(/^Call 3 of step 1/);
    for (const queue of ['tools.warehouse', 'turns', 'tools.mail']) {
      await page.getByRole('button', { name: `Look at the message from ${queue}` }).click();
      await page.getByRole('dialog', { name: 'Dead letter' }).waitFor();
      expect(await wholePage()).not.toContain(CONTENT);
      await takePicture(page, `ops-look-${queue}`);
      await page.keyboard.press('Escape');
    }
    await page.getByRole('link', { name: 'turn_2' }).first().click();
    await seen(/^Call 1 of step 1/);
    expect(await wholePage()).not.toContain(CONTENT);
  });

  it('replays a dead letter after a question, and says why one cannot be replayed', async () => {
    await openOps();
    await seen('Five things need you');
    await page.getByRole('button', { name: 'Replay the message from tools.warehouse' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay the message from tools.warehouse' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(hints).toEqual([]);
    await page.getByRole('button', { name: 'Replay the message from tools.warehouse' }).click();
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await row('Dead letters', 'tools.warehouse').getByText('replayed').waitFor();
    expect(hints.map(({ type, body }) => [type, body])).toEqual([
      ['turn.advance', expect.objectContaining({ turn_id: WAITING_TURN })],
    ]);
    expect(await harness.store.getDeadLetter('letter_1')).toMatchObject({ replayed_by: 'olga' });
    await page.getByRole('button', { name: 'Replay the message from tools.mail' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('alert').getByText('This message cannot be replayed: not JSON.').waitFor();
  });

  for (const [name, options] of [
    ['light', { viewport: laptop }],
    ['dark', { viewport: laptop, colorScheme: 'dark' as const }],
    ['phone', phone],
  ] as const)
    it(`fits, ${name}`, async () => {
      await openOps(options, `/ops#/turns/${WAITING_TURN}`);
      await seen(/^Call 3 of step 1/);
      await page.locator('.ops-spark path').first().waitFor({ state: 'attached' });
      await beatOnce(harness);
      await page.getByText('beats', { exact: true }).first().waitFor();
      await takePicture(page, `ops-${name}`);
      // An address with a turn does not scroll past the overview; a choice leads to the turn.
      expect((await page.getByRole('status').boundingBox())!.y).toBeGreaterThan(0);
      expect(await scrollsSideways()).toBe(false);
      await page.getByRole('link', { name: 'turn_2' }).first().click();
      const { y } = (await page.locator('.ops-reason').filter({ hasText: 'mail.send' }).boundingBox())!;
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(page.viewportSize()!.height);
      await page.getByRole('button', { name: 'Look at the message from turns' }).scrollIntoViewIfNeeded();
      await takePicture(page, `ops-${name}-below`);
    });
});

describe('while the gateway does not answer', () => {
  it('the page keeps what it has seen, says so, and goes on afterwards', async () => {
    await openOps();
    await seen('Five things need you');
    await page.route('**/api/admin/**', (route) => route.abort());
    await seen(/^The server cannot be reached\. Shown as of \d\d:\d\d:\d\d\. The page tries again\.$/);
    expect(await cells('Toolsets', 'warehouse')).toContain('41');
    await takePicture(page, 'ops-outage');
    await page.unroute('**/api/admin/**');
    await waitFor(async () => (await page.getByText('Shown as of').count()) === 0, {
      what: 'the end of the outage',
    });
    await seen(/^Live · /);
  });
});
