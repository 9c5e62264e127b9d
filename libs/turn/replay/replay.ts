import type { Call, Journal, Replay, ReplayedCall, ReplayedStep, ReplayNext, Step } from '#contracts';
import { asksModel } from '../journal/asks-model.js';
import { byTime } from '../journal/by-time.js';
import { openCalls, statusOf, textOf } from '../journal/journal.js';
import type { Budgets } from '../rules/budgets.js';
import { decide, type Action } from '../rules/decide.js';
import { assertTranscript, TranscriptError } from '../transcript/transcript-invariant.js';
import { messagesOfTurn } from '../transcript/transcript.js';
import { callViewOf } from '../view/view-of.js';

const LEFT_OUT = [
  'earlier turns of the conversation: their own replays show them',
  "the deployment's system prompt and the tools that it offered",
  "the deployment's budgets: none is applied",
];

/** Budgets are no part of the journal, so no step is refused for them. */
const NO_BUDGETS: Budgets = {
  steps: Infinity,
  turnMs: Infinity,
  outputTokens: Infinity,
  parallelCalls: Infinity,
  takeovers: Infinity,
  takeoverWindowMs: Infinity,
  callAttempts: Infinity,
  modelRetries: Infinity,
  overloadRetries: Infinity,
  queueingMs: Infinity,
  approvalMs: Infinity,
  identicalCalls: Infinity,
  thinkingCalls: Infinity,
};

/**
 * Plays a turn again: before each recorded step, what do the rules of this version do with the rows before it, and would
 * a provider take the transcript that they make? Pure; what models and tools said is taken from the rows.
 */
export function replayOf(journal: Journal): Replay {
  const { _id: turn_id, conversation_id, number, user_id, content, options, at } = journal.turn;
  const place = { turn_id, conversation_id, number, user_id, content, options, at };
  return {
    ...place,
    status: statusOf(journal),
    steps: journal.steps.map((step) => stepOf(journal, step)),
    next: toNext(journal, decideOn(journal)),
    differences: [
      ...journal.steps.flatMap((step) => differenceAt(journal, step)),
      ...brokenTranscript(journal),
    ],
    left_out: LEFT_OUT,
  };
}

/** What was in the journal when the step was decided, as far as it mattered. */
function rowsBefore({ turn, steps, claims, outcomes, answers }: Journal, step: Step): Journal {
  return {
    turn,
    steps: steps.slice(0, steps.indexOf(step)),
    claims: claims.filter(({ at }) => at <= step.at),
    outcomes: outcomes.filter(({ n }) => n < step.n),
    answers,
  };
}

function decideOn(journal: Journal): Action {
  const now = Date.parse(journal.steps.at(-1)?.at ?? journal.turn.at);
  return decide(journal, { now, me: '', budgets: NO_BUDGETS, deleted: false, liveness: () => 'alive' });
}

/** A person or a failure may end a turn at any time; any other step comes only when the rules say so. */
function differenceAt(journal: Journal, step: Step): string[] {
  const before = rowsBefore(journal, step);
  const action = decideOn(before);
  if (action.do === 'end')
    return [
      `Step ${step.n} was recorded, but by the rules of this version step ${action.step.n} ended the turn.`,
    ];
  if (isEndFromOutside(step)) return [];
  if (action.do !== 'call_model') {
    const ids = openCalls(before).map(({ call }) => call.tool_call_id);
    return [`Step ${step.n} was recorded, but these calls before it have no outcome: ${ids.join(', ')}.`];
  }
  return action.n === step.n ? [] : [`Step ${step.n} was recorded where step ${action.n} was due.`];
}

/** The last request contains the earlier ones. */
function brokenTranscript(journal: Journal): string[] {
  const last = journal.steps.findLast((step) => isModels(journal, step));
  if (!last) return [];
  try {
    assertTranscript(messagesOfTurn(rowsBefore(journal, last)));
    return [];
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    return [`The request for step ${last.n} would be refused: ${error.message}`];
  }
}

function stepOf(journal: Journal, step: Step): ReplayedStep {
  const { n, attempt, kind, stop_reason, usage, model, error, at } = step;
  const thinking = thinkingOf(step);
  return {
    ...{ n, attempt, kind, at, stop_reason, usage, asks_model: isModels(journal, step) },
    ...(model !== undefined && { model }),
    ...(error !== undefined && { error }),
    ...(thinking !== '' && { thinking }),
    text: textOf(step),
    calls: step.calls.map((call) => callOf(journal, step, call)),
  };
}

function thinkingOf({ blocks }: Step): string {
  return blocks.map((block) => (block.type === 'thinking' ? block.text : '')).join('');
}

function callOf(journal: Journal, step: Step, call: Call): ReplayedCall {
  const { question: _question, approval: _approval, ...view } = callViewOf(journal, step, call);
  const answers = journal.answers
    .filter(({ _id }) => _id.startsWith(`${call.tool_call_id}:`))
    .map(({ _id, turn_id: _turn, conversation_id: _conversation, ...answer }) => answer)
    .sort(byTime);
  return { ...view, answers };
}

function isEndFromOutside({ kind }: Step): boolean {
  return kind === 'cancel' || kind === 'fail';
}

function isModels({ turn }: Journal, step: Step): boolean {
  return !isEndFromOutside(step) && asksModel(turn.options);
}

function toNext(journal: Journal, action: Action): ReplayNext {
  switch (action.do) {
    case 'end':
      return openCalls(journal).length > 0 ? 'calls' : 'nothing';
    case 'await_calls':
      return action.parked ? 'person' : 'calls';
    case 'call_model':
    case 'commit_cancel':
    case 'commit_fail':
      return 'model';
  }
}
