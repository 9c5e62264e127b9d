import { type Call, type Journal, type Outcome, plainText, type Step } from '#contracts';
import { outcomeOf, textOf } from '../journal/journal.js';

const DEFAULT_TOOL_STEPS = 5;
/** The same calls this many times in a row are an endless loop: the last ones are not run. */
const ENDLESS = 3;

type Rows = Pick<Journal, 'turn' | 'steps' | 'outcomes'>;
type Asked = Pick<Call, 'tool_name' | 'arguments'>;

/** Why the model is asked for its answer instead of another step of the loop. */
export type AnswerDue =
  /** The model ended the loop itself. */
  | 'said'
  /** A limit ended the loop. */
  | 'stopped';

/** Why the answer is due. Only for a turn with a formatter that has not ended and whose calls have all ended. */
export function answerDue({ turn, steps, outcomes }: Rows): AnswerDue | undefined {
  if (!turn.options.formatter) return undefined;
  const asking = loopSteps(steps).filter(({ calls }) => calls.length > 0);
  const last = steps.findLast(({ kind }) => kind === 'model');
  if (!last || last.stop_reason === 'pause_turn') return undefined;
  if (last.calls.length === 0) return saidOrStopped(steps);
  return isLoopOver(turn.options.max_tool_steps, asking, outcomes) ? 'stopped' : undefined;
}

/** The number of the turn's forced calls that could not be read. */
export function unreadableAnswers(steps: readonly Step[]): number {
  return steps.filter(({ final }) => final === false).length;
}

/** Whether these calls equal those of the two steps before, so that they would repeat forever. */
export function isEndless(steps: readonly Step[], calls: readonly Asked[]): boolean {
  if (calls.length === 0) return false;
  const before = loopSteps(steps)
    .filter((step) => step.calls.length > 0)
    .slice(1 - ENDLESS);
  return before.length === ENDLESS - 1 && before.every((step) => isSameSet(step.calls, calls));
}

/** Whether the answer replaces this step: a step without calls, before the answer, that is not the answer itself. */
export function isReplaced(step: Step, steps: readonly Step[]): boolean {
  const isSaid = step.kind === 'model' && step.calls.length === 0 && step.stop_reason !== 'pause_turn';
  return isSaid && step.final !== true && steps.some(({ final }) => final === true);
}

/** The numbers of the steps before an answer whose text the answer replaces. */
export function replacedBy(answer: Step, steps: readonly Step[]): number[] {
  return steps.filter((step) => isReplaced(step, [answer]) && textOf(step) !== '').map(({ n }) => n);
}

function loopSteps(steps: readonly Step[]): Step[] {
  return steps.filter(({ kind, final }) => kind === 'model' && final === undefined);
}

/** After an unreadable forced call, the answer is still due for the same reason as before. */
function saidOrStopped(steps: readonly Step[]): AnswerDue {
  return loopSteps(steps).at(-1)?.calls.length ? 'stopped' : 'said';
}

function isLoopOver(maxSteps = DEFAULT_TOOL_STEPS, asking: readonly Step[], outcomes: Outcome[]): boolean {
  const last = asking.at(-1);
  if (!last) return false;
  return (
    asking.length >= maxSteps ||
    isEndless(asking.slice(0, -1), last.calls) ||
    last.calls.some((call) => hasThoughtEnough(call, outcomes))
  );
}

/** The tool's result says so, and may also not be JSON. A failed call says nothing. */
function hasThoughtEnough(call: Call, outcomes: Outcome[]): boolean {
  if (!isThinkingTool(call.tool_name)) return false;
  const outcome = outcomeOf({ outcomes }, call.tool_call_id);
  if (!outcome || outcome.status === 'failure') return false;
  try {
    const said = JSON.parse(plainText(outcome)) as { nextThoughtNeeded?: unknown } | null;
    return said?.nextThoughtNeeded === false;
  } catch {
    return true;
  }
}

/** Compares without order. */
function isSameSet(some: readonly Asked[], others: readonly Asked[]): boolean {
  const names = (calls: readonly Asked[]) =>
    calls.map((call) => JSON.stringify([call.tool_name, sortKeys(call.arguments)])).sort();
  return JSON.stringify(names(some)) === JSON.stringify(names(others));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}

/** True for the one tool of the sequential-thinking MCP server (bus name), whatever the server's configured name is. */
export function isThinkingTool(toolName: string): boolean {
  return toolName.endsWith('.sequentialthinking');
}
