import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { askServiceHost } from '../services/ask-service-host.js';
import { chromiumArguments, findChromium } from '../services/chromium.js';
import { Contexts } from './contexts.js';

const root = join(import.meta.dirname, '../..');
const screens = join(root, 'test-results/screens');

/** The folder of the page as it is shipped. */
export async function findPage(): Promise<string> {
  return (await askServiceHost('page')).url;
}

/** The browser of the whole run. `browser.close` closes only what was opened through the returned object. */
export async function connectBrowser(): Promise<Contexts> {
  return new Contexts(await chromium.connect((await askServiceHost('browser')).url));
}

/** A browser for what concerns all of its pages, like a trace. */
export async function launchBrowser(): Promise<Contexts> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('no Chromium: set CHROMIUM_PATH');
  return new Contexts(await chromium.launch({ executablePath, args: chromiumArguments }));
}

export interface OpenPage {
  page: Page;
  /** Uncaught errors and whatever the console complained about, violations of the content policy included. */
  complaints: string[];
}

export async function openPage(context: BrowserContext, url: string): Promise<OpenPage> {
  const page = context.pages()[0]!;
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refused or lost connection is what some tests are about.
    const isExpected = /WebSocket connection|Failed to load resource/.test(message.text());
    if (message.type() === 'error' && !isExpected) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints };
}

export async function takePicture(page: Page, name: string): Promise<void> {
  await mkdir(screens, { recursive: true });
  await page.screenshot({ path: join(screens, `${name}.png`), animations: 'disabled' });
}
