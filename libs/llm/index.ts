export * from './model.port.js';
export { createModel, describeModel, type ModelEnvironment } from './model-setup.js';
