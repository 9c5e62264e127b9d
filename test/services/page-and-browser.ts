import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromiumArguments, findChromium } from './chromium.js';
import type { RunningService } from './services.js';

const root = join(import.meta.dirname, '../..');

/** One for all files of a run, for `chromium.connect(url)`: a file's contexts keep it apart from the others. */
export async function startBrowser(): Promise<RunningService> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('no Chromium: set CHROMIUM_PATH');
  const { chromium } = await import('playwright-core');
  const server = await chromium.launchServer({ executablePath, args: chromiumArguments });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}

/** The page as it is shipped; `url` is its folder. Built here only when `dist` has none of the present sources. */
export async function providePage(builtPage: string | undefined): Promise<RunningService> {
  const folder = builtPage || join(root, 'test-results/page');
  if (!builtPage) {
    const vite = join(root, 'node_modules/vite/bin/vite.js');
    const options = ['build', '-c', 'apps/web/vite.config.ts', '--outDir', folder, '--logLevel', 'warn'];
    const env = { ...process.env, NODE_OPTIONS: '' };
    await promisify(execFile)(process.execPath, [vite, ...options], { cwd: root, env });
  }
  return { url: folder, stop: async () => {} };
}
