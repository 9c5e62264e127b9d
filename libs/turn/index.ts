export { asksModel } from './journal/asks-model.js';
export { endsTurn } from './journal/ends-turn.js';
export { answerDue, isEndless, isReplaced, unreadableAnswers } from './rules/formatter-rules.js';
export {
  addUsage,
  answerTo,
  approvedTools,
  claimsOn,
  endingStep,
  holderOf,
  inputId,
  lastQuestion,
  nextStepNumber,
  NO_USAGE,
  type OpenCall,
  openCalls,
  outcomeOf,
  endedStatus,
  statusOf,
  textOf,
} from './journal/journal.js';
export { failedOutcome, mayHaveRun, neverStarted, stoppedWhileRunning } from './journal/outcomes.js';
export { evidenceOf, type Liveness } from './rules/liveness.js';
export {
  approvalExpiry,
  attemptsOf,
  type CallAction,
  type CallSituation,
  decideAfterReclaim,
  decideLostClaim,
  expiredApproval,
  mayRunAgain,
} from './rules/call-rules.js';
export { runClaim, settleClaim } from './journal/claim-rows.js';
export { decideStopped } from './rules/stopped-calls.js';
export { decideDelivery, decideLostConnection } from './rules/worker-rules.js';
export { decideAfterCompeting, decideNotTaken, decideStop, pausedDetail } from './rules/give-up-rules.js';
export { decideTakeUp, isSuperseded, stepAttempt } from './rules/turn-rules.js';
export { type Budgets, DEFAULT_BUDGETS, timeLimit } from './rules/budgets.js';
export {
  addUsed,
  type DayBudget,
  findExceeded,
  isBudgetSet,
  NOTHING_USED,
  renewedAt,
  type Used,
  usedOf,
} from './rules/day-budget.js';
export { dayOf, lostUsageRows, usageRowsOf } from './journal/usage-rows.js';
export { type WaitingCall, waitingCalls } from './rules/waiting-calls.js';
export { isThinkingTool } from './rules/formatter-rules.js';
export {
  type Action,
  type CallDecision,
  decide,
  decideCalls,
  type HeldCall,
  sendDeadlineOf,
} from './rules/decide.js';
export { decideSweep, isSettled, parkedCheckMs } from './rules/sweep-rules.js';
export type { ImageReference, ModelMessage, UserContent } from './transcript/model-message.js';
export { appendMessages, messagesOfTurn } from './transcript/transcript.js';
export { CALL_OUTCOMES, callOutcome, errorTypeLabel } from './rules/call-outcome.js';
export { withoutForeignThinking } from './transcript/foreign-thinking.js';
export {
  compacted,
  compactionOf,
  shortenResults,
  summaryOf,
  withoutSummary,
} from './transcript/compaction.js';
export { estimateTokens, tokensOfMessages, tokensOfText } from './transcript/estimate-tokens.js';
export { assertTranscript } from './transcript/transcript-invariant.js';
export { endEvent } from './view/end-event.js';
export { toolEndEvent, toolsetOf } from './view/tool-end.js';
export { emptyView, reduce, reduceEvent } from './view/reduce.js';
export { hasEnded, isEnded } from './view/view-change.js';
export { cutMiddle, isHighSurrogate } from './transcript/cut-text.js';
export {
  callViewOf,
  fittingView,
  isShownStep,
  type PartialText,
  shownTextOf,
  turnViewOf,
  viewOf,
} from './view/view-of.js';
export { endsBetween } from './view/repair.js';
export { type AnswerProblem, checkAnswer, choicesOf } from './rules/check-answer.js';
export { cutVisibleJson, toVisibleJson, toVisibleText } from './view/visible.js';
export { type Broken, type Invariant, INVARIANTS } from './invariants/invariants.js';
export { brokenInCall, isInOrder } from './invariants/call-invariants.js';
export { unreadableRows } from './invariants/unreadable-rows.js';
export { brokenInSteps, brokenInTurn, isTakenUpEarly } from './invariants/turn-invariants.js';
export { whyWaiting } from './waiting/why-waiting.js';
export { namesNoTool, toolNameForOperators, UNKNOWN_TOOL } from './waiting/tool-name-for-operators.js';
export { timelineOf } from './waiting/timeline.js';
export { replayOf } from './replay/replay.js';
