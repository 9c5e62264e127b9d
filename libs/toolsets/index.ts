export { createToolsets } from './create-toolsets.js';
export { createLocalToolsets } from './create-local-toolsets.js';
