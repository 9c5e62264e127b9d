export * from './model.port.js';
export {
  createModel,
  defaultModelName,
  describeModel,
  ModelSetupError,
  type ModelEnvironment,
  type ModelOptions,
} from './model-setup.js';
export { ScriptedModel, type Script } from './scripted/scripted-model.js';
