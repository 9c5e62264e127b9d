export * from './logger.js';
export * from './nest-logger.js';
export { redactText } from './redact.js';
export * from './metrics.js';
export * from './observe-calls.js';
export * from './refusals.js';
export * from './health.js';
export * from './health.module.js';
export { VERSION } from './version.js';
