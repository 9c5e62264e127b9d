import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { chromiumArguments, findChromium } from '../services/chromium.js';

const root = join(import.meta.dirname, '../..');
/** One per worker: two spec files build at the same time. */
const pageDirectory = join(root, `test-results/page-${process.env.JEST_WORKER_ID ?? 0}`);
const screens = join(root, 'test-results/screens');

/** Builds the page as it is shipped, into a folder of the tests. */
export async function buildPage(): Promise<string> {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const options = ['build', '-c', 'apps/web/vite.config.ts', '--outDir', pageDirectory, '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, [vite, ...options], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return pageDirectory;
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('no Chromium: set CHROMIUM_PATH');
  return chromium.launch({ executablePath, args: chromiumArguments });
}

export interface OpenPage {
  page: Page;
  /** Uncaught errors and whatever the console complained about, violations of the content policy included. */
  complaints: string[];
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
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
