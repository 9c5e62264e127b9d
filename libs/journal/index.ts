export * from './ports.js';
export { auditedCall } from './audit.js';
export * from './carry-out.js';
export * from './end-turn.js';
export * from './stop-turn.js';
export { markDeleted, removeDeleted } from './delete-conversation.js';
export * from './liveness.js';
export * from './retrying-store.js';
export * from './step-row.js';
