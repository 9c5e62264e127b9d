/*
 * The rows of the store. Field names are the wire names. `_id` decides which insert wins. A row is never rewritten
 * except for the fields marked as caches, which can be derived again.
 */

export * from './records/written-text.js';
export * from './records/conversation.js';
export * from './records/roles.js';
export * from './records/approval.js';
export * from './records/turn.js';
export * from './records/step.js';
export * from './records/decisions.js';
export * from './records/catalog.js';
export * from './records/definition.js';
export * from './records/artifact.js';
export * from './records/audit.js';
export * from './records/process.js';
export * from './records/switch.js';
export * from './records/dead-letter.js';
export * from './records/fact.js';
export * from './records/account.js';
export * from './records/binding.js';
export * from './records/connection.js';
export * from './records/usage.js';
export * from './records/journal.js';
