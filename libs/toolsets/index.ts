export { createLocalToolsets } from './create-local-toolsets.js';
export { loadToolFiles } from './load-tool-files.js';
export type { FactStore } from './memory.js';
