import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { takePicture } from '../web/browser.js';
import type { Contexts } from '../web/contexts.js';
import { waitFor } from '../services/wait-for.js';

/** A lost or refused connection is what some tests are about. */
const expectedOfConsole =
  /WebSocket connection|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED/;

/** One tab with the real page in it, and what a person does there. */
export class Tab {
  /** Uncaught errors and the console's, violations of the content policy included. */
  readonly complaints: string[] = [];

  private constructor(
    private readonly contexts: Contexts,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {
    page.setDefaultTimeout(15_000);
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      const isComplaint = message.type() === 'error' || /content security policy/i.test(message.text());
      if (isComplaint && !expectedOfConsole.test(message.text())) this.complaints.push(message.text());
    });
  }

  /** In a browser profile of its own, as on another device. */
  static async open(contexts: Contexts, url: string, options: BrowserContextOptions = {}): Promise<Tab> {
    return Tab.show(contexts, await contexts.take(options), url);
  }

  /** In a profile that was taken and prepared before. */
  static async show(contexts: Contexts, context: BrowserContext, url: string): Promise<Tab> {
    const tab = new Tab(contexts, context, context.pages()[0]!);
    await tab.page.goto(url);
    return tab;
  }

  /** Another one, which shares what the browser keeps with this one. */
  async duplicate(): Promise<Tab> {
    const tab = new Tab(this.contexts, this.context, await this.context.newPage());
    await tab.page.goto(this.page.url());
    return tab;
  }

  /** With all tabs of its profile. */
  async close(): Promise<void> {
    await this.contexts.giveBack(this.context);
  }

  get composer(): Locator {
    return this.page.getByRole('textbox', { name: 'Message' });
  }

  get tray(): Locator {
    return this.page.getByRole('region', { name: 'Messages waiting in line' });
  }

  /** The turn that was shown last. */
  get lastTurn(): Locator {
    return this.page.locator('.turn').last();
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  async say(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press('Enter');
  }

  async seen(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** Waits until the newest answer contains the text, and returns all of it. */
  async reads(text: string): Promise<string> {
    const prose = this.lastTurn.locator('.prose:not(:has(> .plain))').last();
    await prose.filter({ hasText: text }).waitFor();
    return prose.innerText();
  }

  /** The number of turns shown, all of them ended and rendered. */
  async hasEnded(turns: number): Promise<void> {
    const ended = this.page.locator(
      '.turn:is([data-status=completed], [data-status=cancelled], [data-status=failed])',
    );
    await waitFor(async () => (await ended.count()) === turns, {
      what: `${turns} ended turns`,
      timeoutMs: 20_000,
    });
    const isRendered = async () => (await this.page.locator('.prose > .plain').count()) === 0;
    await waitFor(isRendered, { what: 'rendered Markdown' });
  }

  /** Text of own messages, in order. */
  ownMessages(): Promise<string[]> {
    return this.page.locator('.own-message > p').allInnerTexts();
  }

  isFocused(locator: Locator): Promise<unknown> {
    const ask = () => locator.evaluate((element) => element === element.ownerDocument.activeElement);
    return waitFor(ask, { what: 'the focus' });
  }

  takePicture(name: string): Promise<void> {
    return takePicture(this.page, `real-${name}`);
  }
}
