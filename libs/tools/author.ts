/* `switchyard/tools`: the module that a file of tools imports, in this repository or in another one. */
export { z } from 'zod';
export { defineTool, ToolSetupError, type ToolSource } from './define-tool.js';
export { runTool } from './run-tool.js';
export { ToolError, type Tool, type ToolContext } from './tool.port.js';
export type { ErrorDetail, ErrorType, ToolClass, ToolResult } from '#contracts';
