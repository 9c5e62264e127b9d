import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { waitFor } from '../services/wait-for.js';
import { connectBrowser, findPage, openPage } from './browser.js';
import type { Contexts } from './contexts.js';
import { FakeGateway } from './fake-gateway.js';
import type { FakeTurn } from './fake-turn.js';

/** The page that is open and the gateway behind it: both new for every test. */
export interface PageFixture {
  readonly gateway: FakeGateway;
  readonly page: Page;
  open(path?: string, options?: BrowserContextOptions): Promise<void>;
  /** In a browser profile that is used once: for what cannot be taken back, like a clock, or a script run before it. */
  openOnce(path?: string, script?: string): Promise<void>;
  composer(): Locator;
  button(name: string | RegExp): Locator;
  say(text: string): Promise<void>;
  /** The n-th turn, as soon as the gateway has accepted it. */
  turn(index: number): Promise<FakeTurn>;
  /** Waits until the text stands on the page. */
  seen(text: string | RegExp): Promise<void>;
  isFocused(locator: Locator): Promise<unknown>;
  /** What the browser complained about; once read, it is expected. */
  takeComplaints(): string[];
}

/** Registers the hooks of a spec file. After every test the browser must not have complained about anything. */
export function usePageFixture(): PageFixture {
  let contexts: Contexts;
  let pageDirectory: string;
  let gateway: FakeGateway;
  let page: Page | undefined;
  let complaints: string[] = [];
  beforeAll(async () => {
    [pageDirectory, contexts] = await Promise.all([findPage(), connectBrowser()]);
  }, 60_000);
  afterAll(() => contexts?.browser.close());
  beforeEach(async () => {
    gateway = await FakeGateway.start(pageDirectory);
  });
  afterEach(async () => {
    if (page) await contexts.giveBack(page.context());
    page = undefined;
    await gateway.close();
    expect(complaints).toEqual([]);
  });
  const show = async (path: string, context: BrowserContext) => {
    ({ page, complaints } = await openPage(context, gateway.url + path));
  };
  const fixture: PageFixture = {
    get gateway() {
      return gateway;
    },
    get page() {
      return page!;
    },
    open: async (path = '', options = {}) => show(path, await contexts.take(options)),
    openOnce: async (path = '', script = '') => {
      const context = await contexts.takeOnce();
      await context.addInitScript(script);
      await show(path, context);
    },
    composer: () => fixture.page.getByRole('textbox', { name: 'Message' }),
    button: (name) => fixture.page.getByRole('button', { name, exact: true }),
    async say(text) {
      await fixture.composer().fill(text);
      await fixture.composer().press('Enter');
    },
    turn: (index) => waitFor(() => gateway.turn(index), { what: `turn ${index}` }),
    seen: (text) => fixture.page.getByText(text).first().waitFor(),
    takeComplaints: () => complaints.splice(0),
    isFocused: (locator) =>
      waitFor(() => locator.evaluate((element) => element === element.ownerDocument.activeElement), {
        what: 'the focus',
      }),
  };
  return fixture;
}
