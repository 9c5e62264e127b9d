import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';

/** What a page takes on after it was opened; with any other option a context is used once. */
const LOOKS = ['viewport', 'colorScheme', 'reducedMotion'];
const VIEWPORT = { width: 1440, height: 900 };

/**
 * Browser profiles that go from test to test, empty each time: a renderer that has run the page's script before runs
 * it in a quarter of the time. What a test cannot take back (a clock, a route, a permission) needs `takeOnce`.
 */
export class Contexts {
  private readonly idle: BrowserContext[] = [];
  /** Those that were taken; true: to be used again. */
  private readonly taken = new Map<BrowserContext, boolean>();

  constructor(readonly browser: Browser) {}

  /** A profile with one page, which shows nothing yet. */
  async take(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    if (Object.keys(options).some((name) => !LOOKS.includes(name))) return this.takeOnce(options);
    const context = this.idle.pop() ?? (await this.takeOnce());
    this.taken.set(context, true);
    const { viewport, colorScheme = 'light', reducedMotion = 'reduce' } = options;
    const [page] = context.pages();
    await page!.setViewportSize(viewport ?? VIEWPORT);
    await page!.emulateMedia({ colorScheme, reducedMotion });
    return context;
  }

  /** The same, and it is closed in the end. */
  async takeOnce(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const looks = { viewport: VIEWPORT, colorScheme: 'light', reducedMotion: 'reduce' } as const;
    const context = await this.browser.newContext({ ...looks, ...options });
    this.taken.set(context, false);
    await context.newPage();
    return context;
  }

  /** Nobody may use it from now on. It may be given back twice. */
  async giveBack(context: BrowserContext): Promise<void> {
    const isReusable = this.taken.get(context);
    if (!this.taken.delete(context)) return;
    if (isReusable && (await empty(context))) this.idle.push(context);
    else await context.close();
  }
}

/** Whether it is as new. A page that shows an error of the browser has no storage that could be cleared. */
async function empty(context: BrowserContext): Promise<boolean> {
  const [page, ...others] = context.pages();
  if (!page) return false;
  await Promise.all(others.map((other) => other.close()));
  for (const event of ['console', 'pageerror', 'request', 'websocket']) page.removeAllListeners(event);
  await context.clearCookies();
  try {
    await page.evaluate('localStorage.clear(), sessionStorage.clear()');
    await page.goto('about:blank');
    return true;
  } catch {
    return false;
  }
}
