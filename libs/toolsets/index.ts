export { createToolsets } from './create-toolsets.js';
export { createOwnToolsets } from './own-toolsets.js';
export {
  checkToolFiles,
  listOwnTools,
  toolFolderOf,
  type OfferedTool,
  type ToolFolder,
} from './check-tool-files.js';
export { createLocalToolsets } from './create-local-toolsets.js';
