export { auditLoggerOf, createLogger, LOG_LEVELS, type Logger, type LogLevel } from './logger.js';
export { createNestLogger } from './nest-logger.js';
export { redactText } from './redact.js';
export { createMetrics, type Metrics, readOnDemand, Registry } from './metrics.js';
export { observeCalls } from './observe-calls.js';
export { Refusals } from './refusals.js';
export { Health } from './health.js';
export { HealthModule } from './health.module.js';
export { VERSION } from './version.js';
