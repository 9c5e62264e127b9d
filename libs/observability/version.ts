import { createRequire } from 'node:module';

/** The version of this program in its package.json. */
export const VERSION = (createRequire(import.meta.url)('switchyard/package.json') as { version: string })
  .version;
