/* `switchyard/tools`: the module that a file of tools imports, in this repository or in another one. */
export { z } from 'zod';
export { defineTool, ToolSetupError, type ToolSource } from './define-tool.js';
export {
  ApiLimitError,
  AuthenticationError,
  DependencyUnavailableError,
  FileNotFoundError,
  PermissionError,
  ResourceNotFoundError,
  ValidationError,
} from './named-errors.js';
export { runTool } from './run-tool.js';
export { explained, partly, unchanged, type ToolAnswer } from './tool-answer.js';
export type { ToolAbout } from './tool-about.js';
export { ToolError, type Tool, type ToolContext } from './tool.port.js';
export type { ErrorDetail, ErrorType, ToolClass, ToolResult } from '#contracts';
