export * from './model.port.js';
export { canForceTool } from './forced-tool.js';
export { contextWindowOf } from './context-window.js';
export { SUMMARY_INSTRUCTION } from './summary-instruction.js';
export { providerModels } from './provider-models.js';
export { createModel, describeModel } from './model-setup.js';
export { availableProviders, type ModelEnvironment } from './provider-settings.js';
export { describeSchemaLosses } from './schemas/provider-tool.js';
export { sayableName } from './tool-arguments.js';
