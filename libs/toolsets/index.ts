export { createToolsets } from './create-toolsets.js';
export { createOwnToolsets } from './own-toolsets.js';
export { loadToolFiles } from './load-tool-files.js';
export { createLocalToolsets } from './create-local-toolsets.js';
