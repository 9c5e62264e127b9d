export type { JournalObserver } from './journal-observer.js';
export type { KnownSwitches, Log, Peers, Ports } from './ports.js';
export { observeJournal, type JournalMetrics } from './observe-journal.js';
export { auditedCall } from './audit.js';
export { type Action, ActionLog } from './action-log.js';
export { toAuditPosition } from './audit-position.js';
export { auditRecord, AuditTrail, DEFAULT_AUDIT_DAYS } from './audit-trail.js';
export {
  type CallLabel,
  carryOut,
  compete,
  hint,
  labelled,
  notifyOwners,
  type RowsWritten,
  settle,
} from './carry-out.js';
export { countUsage } from './count-usage.js';
export { endTurn, endUnheldTurn } from './end-turn.js';
export { releaseCalls, stopTurn } from './stop-turn.js';
export { markDeleted, removeDeleted } from './delete-conversation.js';
export { keepUnacknowledged } from './keep-unacknowledged.js';
export { livenessOf, livenessOfOwners, situationOf } from './owner-liveness.js';
export { readMessageIds } from './message-ids.js';
export { retryingStore } from './retrying-store.js';
export { stepRow } from './step-row.js';
export { type BrokenInvariant, type VerifiedPage, type VerifyPosition, verifyPage } from './verify-store.js';
