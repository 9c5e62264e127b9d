export {
  type Model,
  ModelError,
  type ModelImage,
  type ModelMessage,
  type ModelPart,
  type ModelRequest,
  type ModelTool,
} from './port/model.port.js';
export { canForceTool, contextWindowOf, describeSchemaLosses, hidesReasoning } from './model-facts.js';
export { KEY_VARIABLES, URL_VARIABLES } from './port/provider-variables.js';
export { PROVIDERS, SUGGESTED_KEY, SUGGESTED_MODEL } from './providers/registry.js';
export { SUMMARY_INSTRUCTION } from './port/summary.js';
export { allowedModels, findModelRefusal, isModelAllowed } from './allowed-models.js';
export { providerModels } from './provider-models.js';
export { createModel, defaultModelName, describeModel, findModelProblem } from './model-setup.js';
export { checkModelAccess, type ModelAccess } from './check-access.js';
export { availableProviders, type ModelEnvironment } from './provider-settings.js';
export { schemaLossesEverywhere, type SchemaLossOf } from './schemas/schema-losses.js';
export { providerSafeName } from './port/tool-arguments.js';
