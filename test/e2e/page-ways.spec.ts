import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtProgram } from '../services/built.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { usePageFixture } from './page-fixture.js';
import { Tab } from './page-tab.js';
import { startStandalone, writeSettings } from './standalone-process.js';

const web = usePageFixture(async () => ({
  CONFIG: await writeSettings('switchyard.json', { tools: { 'math.multiply': { approve: true } } }),
}));
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe('the page with the keyboard alone', () => {
  it('reaches the conversations, the step, the call and the composer, and shows the focus', async () => {
    const tab = await web.open();
    await tab.say('what is 17 + 25?');
    await tab.hasEnded(1);
    await tab.page.getByRole('link', { name: 'what is 17 + 25?' }).waitFor();
    const { keyboard } = tab.page;
    const reached: string[] = [];
    await tab.page.reload();
    await tab.hasEnded(1);
    // The list and the tools are read apart from the conversation.
    await tab.page.getByRole('link', { name: 'what is 17 + 25?' }).waitFor();
    await tab.page.locator('.toolset').first().waitFor();
    await tab.button('To the message field').focus();
    for (let press = 0; press < 40; press++) {
      await keyboard.press('Tab');
      const { name, ring } = await tab.page.evaluate(focused);
      if (name === 'BODY') break;
      expect({ name, isVisible: ring >= 2 }).toEqual({ name, isVisible: true });
      if (name.startsWith('step-header') || name.startsWith('call-row')) await keyboard.press('Enter');
      // It is fetched when it is opened.
      if (name.startsWith('call-row')) await tab.page.locator('.call-detail').waitFor();
      reached.push(name);
    }
    const order = ['new-button', 'link', 'step-header', 'call-row', 'Copy arguments', 'Message', 'toolset'];
    const places = order.map((name) => reached.findIndex((one) => one.startsWith(name)));
    expect({ reached, places }).toEqual({ reached, places: places.toSorted((a, b) => a - b) });
    expect(places).not.toContain(-1);
    await tab.page.locator('.call-detail').getByText('a: 17').waitFor();
    await tab.takePicture('keyboard-light');
  });

  it('approves a call that waits, and Esc stops one: it never started', async () => {
    const tab = await web.open();
    await tab.say('what is 6 times 7?');
    await tab.seen('Run math.multiply?');
    await tab.takePicture('approval-light');
    await tab.page.keyboard.press('Shift+Tab');
    await tab.page.keyboard.press('g');
    await tab.isFocused(tab.button('Approve'));
    await tab.page.keyboard.press('Enter');
    await tab.reads('6 × 7 = 42');
    await tab.hasEnded(1);
    await tab.say('what is 8 times 9?');
    await tab.seen('Run math.multiply?');
    await tab.page.keyboard.press('Escape');
    await tab.hasEnded(2);
    await tab.lastTurn.getByText('Never started').waitFor();
    await tab.takePicture('never-started-light');
    await tab.say('what is 2 times 3?');
    await tab.button('Deny').click();
    await tab.hasEnded(3);
    await tab.lastTurn.getByText('Not allowed', { exact: true }).waitFor();
    await tab.takePicture('denied-light');
  });
});

/** Enter begins a line there. */
async function touchSend(tab: Tab, text: string): Promise<void> {
  await tab.composer.fill(text);
  await tab.button('Send').tap();
}

describe('the page on a phone', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`fits 390 px in ${colorScheme}`, async () => {
      const tab = await web.open('', { ...phone, colorScheme });
      await tab.seen('What needs doing?');
      await tab.takePicture(`phone-empty-${colorScheme}`);
      await touchSend(tab, 'what is 17 + 25?');
      await tab.hasEnded(1);
      await tab.page.locator('.step-header').tap();
      await tab.page.locator('.call-row').tap();
      await tab.page.locator('.call-detail').waitFor();
      await tab.takePicture(`phone-tool-${colorScheme}`);
      await touchSend(tab, 'what is 6 times 7?');
      await tab.seen('Run math.multiply?');
      await tab.takePicture(`phone-approval-${colorScheme}`);
      await tab.button('Approve').tap();
      await tab.hasEnded(2);
      await tab.button('Show conversations').tap();
      await tab.page.getByRole('link', { name: 'what is 17 + 25?' }).first().waitFor();
      await tab.takePicture(`phone-conversations-${colorScheme}`);
      await tab.page.keyboard.press('Escape');
      await tab.button('Tools and usage').tap();
      await tab.seen('knowledge');
      await tab.takePicture(`phone-tools-${colorScheme}`);
      expect(await tab.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    });
  }
});

describe('the tool panel of the page', () => {
  it('lists every tool with its class', async () => {
    const tab = await web.open();
    await tab.button('Tools and usage').click();
    const panel = tab.page.getByRole('complementary', { name: 'Tools and usage' });
    for (const name of [/^http/, /^knowledge/, /^math/, /^memory/, /^time/, /^web/])
      await panel.getByRole('button', { name }).click();
    const tools = await panel.locator('.tool').allInnerTexts();
    expect(tools.map((text) => text.split('\n'))).toEqual([
      ['read', 'read'],
      ['search', 'read'],
      ['fetch', 'read'],
      ['rag_search', 'read'],
      ['add', 'read'],
      ['multiply', 'read'],
      ['forget', 'idempotent'],
      ['recall', 'read'],
      ['remember', 'idempotent'],
      ['now', 'read'],
      ['web_search', 'read'],
    ]);
    await tab.takePicture('tools-panel-light');
  });
});

describe('hostile text on the page', () => {
  const attack = [
    '<img src=x onerror="window.hit = 1">',
    '<script>window.hit = 1</script>',
    '[click](javascript:window.hit=1)',
    '![pixel](https://evil.example/pixel.png)',
    '<svg onload="window.hit=1"></svg>',
    '<style>body { display: none }</style>',
    '<iframe srcdoc="<script>top.hit=1</script>"></iframe>',
  ].join('\n\n');

  it('remains text in messages, answers, arguments, results and titles', async () => {
    const tab = await web.open();
    const requested: string[] = [];
    tab.page.on('request', (request) => requested.push(new URL(request.url()).host));
    await tab.say(`say ${attack}\n\nthe end`);
    await tab.reads('the end');
    await tab.hasEnded(1);
    await tab.say(`call knowledge.rag_search with ${JSON.stringify({ query: attack })}`);
    await tab.hasEnded(2);
    await tab.page.locator('.step-header').click();
    await tab.page.locator('.call-row').click();
    await tab.page.locator('.call-detail').getByText('onerror').first().waitFor();
    await tab.takePicture('hostile-light');
    expect(await tab.page.evaluate('window.hit')).toBeUndefined();
    expect(await tab.page.locator('body :is(img, iframe, style, script, object, embed)').count()).toBe(0);
    expect(await tab.page.locator('[href^="javascript:"], [onerror], [onload]').count()).toBe(0);
    expect([...new Set(requested)]).toEqual([new URL(web.process.url).host]);
    expect((await tab.ownMessages())[0]).toContain('<img src=x onerror="window.hit = 1">');
  });
});

describe('a server that requires a token', () => {
  let guarded: SwitchyardProcess;
  const secret = 'a secret of tests that has at least 32 characters';
  beforeAll(async () => {
    guarded = await startStandalone({ AUTH: 'jwt', JWT_SECRET: secret });
  });
  afterAll(() => guarded?.kill());

  const tokenOf = async (user: string) => {
    const env = { PATH: process.env.PATH, JWT_SECRET: secret };
    const { stdout } = await promisify(execFile)(process.execPath, [builtProgram('token'), '--user', user], {
      env,
    });
    return stdout.trim();
  };

  it('shows a form that takes the token of the token command', async () => {
    const [ann, bob] = await Promise.all([tokenOf('ann'), tokenOf('bob')]);
    const tab = await Tab.open(web.contexts, guarded.url);
    await tab.page.getByLabel('Token').waitFor();
    await tab.takePicture('sign-in-light');
    await tab.page.getByLabel('Token').fill('not-a-token');
    await tab.page.keyboard.press('Enter');
    await tab.seen('This token was not accepted.');
    await tab.takePicture('sign-in-refused-light');
    await tab.page.getByLabel('Token').fill(ann);
    await tab.page.keyboard.press('Enter');
    await tab.seen('What needs doing?');
    await tab.say('what is 17 + 25?');
    await tab.reads('17 + 25 = 42');
    await tab.hasEnded(1);
    await tab.page.reload();
    await tab.hasEnded(1);
    await tab.composer.fill('a draft of Ann');
    const place = tab.page.url();
    await tab.page.evaluate('sessionStorage.clear()');
    await tab.page.reload();
    await tab.page.getByLabel('Token').fill(bob);
    await tab.page.keyboard.press('Enter');
    await tab.seen('Your conversations will be listed here.');
    await tab.page.getByText('bob', { exact: true }).waitFor();
    expect(await tab.page.evaluate('JSON.stringify(localStorage)')).not.toContain('Ann');
    await tab.page.goto(place);
    await tab.seen('This conversation does not exist, or has been deleted.');
    expect(await tab.page.getByText('17 + 25').count()).toBe(0);
    await tab.button('Sign out').click();
    await tab.page.getByLabel('Token').waitFor();
    expect(await tab.page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('eyJ');
    await tab.close();
    expect(tab.complaints).toEqual([]);
  });
});

/** Runs in the page: what has the focus, and how thick its ring is. */
const focused = `(() => {
  const element = document.activeElement;
  const ring = [element, element.closest('.search-box, .composer')]
    .filter((one) => one && getComputedStyle(one).outlineStyle !== 'none')
    .map((one) => parseFloat(getComputedStyle(one).outlineWidth));
  const isLink = element.matches('.conversation a') ? 'link' : undefined;
  const className = ['new-button', 'step-header', 'call-row'].find((name) => element.classList.contains(name));
  const name = isLink ?? className ?? element.getAttribute('aria-label') ?? (element.classList[0] || element.tagName);
  return { name, ring: ring[0] ?? 0 };
})()` as unknown as () => { name: string; ring: number };
