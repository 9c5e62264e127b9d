import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What `npm run build` made of this working tree, page included. Spec files that import this are refused when the
 * sources have changed since, and `npm test -- <path>` builds for them (`scripts/test-plan.mjs`).
 */
export const builtFolder = fileURLToPath(new URL('../../dist', import.meta.url));

/** For `node <file>`: `switchyard`, `token`, or a kind of process. */
export function builtProgram(name: string): string {
  return join(builtFolder, 'bin', `${name}.js`);
}
