import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import type { SwitchyardProcess } from '../services/processes.js';
import { connectBrowser } from '../web/browser.js';
import type { Contexts } from '../web/contexts.js';
import { Tab } from './page-tab.js';
import { newFolder, removeFolders, startStandalone } from './standalone-process.js';

/** The page as a standalone process serves it. Tabs are closed after each test; the process lives as long as the file. */
export interface PageFixture {
  readonly process: SwitchyardProcess;
  readonly contexts: Contexts;
  /** A tab with a browser profile of its own; `path` like `#/c/<id>`. */
  open(path?: string, options?: BrowserContextOptions): Promise<Tab>;
  /** Another tab of the same browser, at the same place. */
  duplicate(tab: Tab): Promise<Tab>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** The same port and data folder. */
  restart(): Promise<void>;
}

/** Registers the hooks of a spec file. After every test no tab may have complained about anything. */
export function usePageFixture(
  settings: () => Promise<Record<string, string>> = async () => ({}),
  openBrowser: () => Promise<Contexts> = connectBrowser,
): PageFixture {
  let env: Record<string, string>;
  let process: SwitchyardProcess;
  let contexts: Contexts;
  const tabs: Tab[] = [];
  const keep = (tab: Tab) => {
    tabs.push(tab);
    return tab;
  };
  beforeAll(async () => {
    env = { DATA_DIR: await newFolder(), ...(await settings()) };
    [process, contexts] = await Promise.all([startStandalone(env), openBrowser()]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([contexts?.browser.close(), process?.kill()]);
    await removeFolders();
  });
  afterEach(async () => {
    const closing = tabs.splice(0);
    await Promise.all(closing.map((tab) => tab.close()));
    expect(closing.flatMap((tab) => tab.complaints)).toEqual([]);
  });
  return {
    get process() {
      return process;
    },
    get contexts() {
      return contexts;
    },
    open: async (path = '', options = {}) =>
      keep(await Tab.open(contexts, `${process.url}/${path}`, options)),
    duplicate: async (tab) => keep(await tab.duplicate()),
    kill: async () => {
      await process.kill();
    },
    restart: async () => {
      process = await startStandalone({ ...env, PORT: String(process.port) });
    },
  };
}
