import { createRequire } from 'node:module';

/** Of this program, as its package.json says. */
export const VERSION = (createRequire(import.meta.url)('switchyard/package.json') as { version: string })
  .version;
