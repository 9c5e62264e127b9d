export {
  type Attachment,
  type Question,
  type Reply,
  type Tool,
  ToolConnectionLostError,
  type ToolContext,
  type ToolDescription,
  ToolError,
  type ToolsetHost,
} from './tool.port.js';
export {
  busNameOf,
  describeUnknownTool,
  displayName,
  toBusName,
  toModelName,
  toToolsetName,
} from './names.js';
export { toPrintable } from './printable.js';
export { failure, success, toFailure, toToolResult } from './tool-result.js';
export { MAX_INLINE_BYTES, outputBudget } from './output-budget.js';
export { describeBytes, makeArtifact, referenceTo } from './make-artifact.js';
export { readImageHeader } from './image-header.js';
export { ArgumentValidator } from './validate-arguments.js';
export { SchemaChecks } from './schema-checks.js';
export { checkOutput } from './validate-output.js';
export { InputSchemas } from './input-schemas.js';
export type { SlowChecks } from './slow-checks.port.js';
export { ThreadedChecks } from './threaded-checks.js';
export { refuseArguments, showUnreadable } from './validation-detail.js';
export { startThread } from './start-thread.js';
export { Slots, type Slot } from './slots.js';
export { canonicalHash, definitionHash } from './canonical-hash.js';
export { Catalogue, DEFAULT_CONCURRENCY, ROLL_CALL } from './catalogue.js';
export { describeOffer } from './describe-offer.js';
export { LostWorkers, type LostWorkersDeps } from './lost-workers.js';
export { findUnknownEntries, hasRequiredRole, Offer, type OfferRule } from './offer.js';
export { majorOf } from './versions.js';
export { compareWithOffered } from './compare-with-offered.js';
export { toolPage } from './tool-page.js';
export { reviewTool } from './review-tool.js';
export { judgeDefinition, predecessorOf, type Judged } from './judge-definition.js';
export { DefinitionWatch } from './definition-watch.js';
export { defineTool, defineToolset, findDefinitionProblem, ToolSetupError } from './define-tool.js';
