import {
  ENDED_STATUSES,
  type Answer,
  type Call,
  type Claim,
  type FailureCode,
  type Journal,
  type Outcome,
  type Step,
  type TurnStatus,
  type Usage,
} from '#contracts';
import { endsTurn } from './ends-turn.js';

/** The row that ended the turn, if it has ended. */
export function endingStep(journal: Journal): Step | undefined {
  const last = journal.steps.at(-1);
  return last && endsTurn(journal.turn.options, last) ? last : undefined;
}

/** The number that the next row of the turn gets. */
export function nextStepNumber(journal: Journal): number {
  return (journal.steps.at(-1)?.n ?? 0) + 1;
}

export function answerTo(
  journal: Pick<Journal, 'answers'>,
  toolCallId: string,
  kind: 'approval',
): Answer | undefined {
  return journal.answers.find((answer) => answer._id === `${toolCallId}:${kind}`);
}

/** The `_id` of a call's `number`th question (`question`) or answer (`input`). */
export function inputId(toolCallId: string, kind: 'question' | 'input', number: number): string {
  return number === 1 ? `${toolCallId}:${kind}` : `${toolCallId}:${kind}:${number}`;
}

export interface AskedQuestion {
  /** 1 for the first question of the call. */
  number: number;
  question: NonNullable<Answer['question']>;
  /** Absent while the question is open. */
  input?: Answer;
}

/** The call's last question. An earlier question without an answer was given up by the attempt that asked it. */
export function lastQuestion(
  journal: Pick<Journal, 'answers'>,
  toolCallId: string,
): AskedQuestion | undefined {
  // Most turns ask nobody anything, and this runs in every decision about them.
  if (journal.answers.length === 0) return undefined;
  const byId = new Map(journal.answers.map((answer) => [answer._id, answer]));
  let last: AskedQuestion | undefined;
  for (let number = 1; ; number++) {
    const question = byId.get(inputId(toolCallId, 'question', number))?.question;
    if (!question) return last;
    const input = byId.get(inputId(toolCallId, 'input', number));
    last = { number, question, ...(input ? { input } : {}) };
  }
}

/** Claims on a turn or a call, by attempt. */
export function claimsOn(journal: Journal, workId: string): Claim[] {
  return journal.claims.filter((claim) => claim._id === `${workId}:${claim.n}`).sort((a, b) => a.n - b.n);
}

/** The claim that counts: the highest attempt. */
export function holderOf(journal: Journal, workId: string): Claim | undefined {
  return claimsOn(journal, workId).at(-1);
}

export function outcomeOf(journal: Pick<Journal, 'outcomes'>, toolCallId: string): Outcome | undefined {
  return journal.outcomes.find((outcome) => outcome._id === toolCallId);
}

export interface OpenCall {
  step: Step;
  call: Call;
}

/** Every committed call without an outcome, in the order in which the model asked for them. */
export function openCalls(journal: Journal): OpenCall[] {
  const ended = new Set(journal.outcomes.map((outcome) => outcome._id));
  return journal.steps.flatMap((step) =>
    step.calls.filter((call) => !ended.has(call.tool_call_id)).map((call) => ({ step, call })),
  );
}

/** True when the call waits for a person's answer or approval. */
export function waitsForPerson(journal: Journal, call: Call): boolean {
  if (call.approval === 'required' && !answerTo(journal, call.tool_call_id, 'approval')) return true;
  const asked = lastQuestion(journal, call.tool_call_id);
  return asked !== undefined && !asked.input;
}

/** Bus names of the tools that have a call in this turn that a person has approved. */
export function approvedTools({ steps, answers }: Pick<Journal, 'steps' | 'answers'>): string[] {
  const approved = new Set(answers.filter(({ decision }) => decision === 'approve').map(({ _id }) => _id));
  const calls = steps.flatMap((step) => step.calls);
  return calls
    .filter(({ tool_call_id }) => approved.has(`${tool_call_id}:approval`))
    .map(({ tool_name }) => tool_name);
}

/** The status derived from the rows; the status stored with the turn is a cache of it. */
export function statusOf(journal: Journal): TurnStatus {
  const end = endingStep(journal);
  if (end) return endedStatus(end);
  if (!holderOf(journal, journal.turn._id)) return 'queued';
  const open = openCalls(journal);
  return open.length > 0 && open.every(({ call }) => waitsForPerson(journal, call))
    ? 'awaiting_input'
    : 'running';
}

type Ended = typeof ENDED_STATUSES;
export type EndedStatus = Ended[number];

/** The status of a turn that this row ends. */
export function endedStatus({ kind }: Pick<Step, 'kind'>): EndedStatus {
  if (kind === 'cancel') return 'cancelled';
  return kind === 'fail' ? 'failed' : 'completed';
}

/** The usage of a step without a model call, or of one whose usage is unknown. */
export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };

/** Usage that was not reported counts as zero. */
export function addUsage(some: Usage, more: Usage | null | undefined): Usage {
  if (!more) return some;
  return {
    input_tokens: some.input_tokens + more.input_tokens,
    output_tokens: some.output_tokens + more.output_tokens,
    cached_tokens: some.cached_tokens + more.cached_tokens,
  };
}

export function totalUsage(steps: Step[]): Usage {
  return steps.reduce((total, { usage }) => addUsage(total, usage), NO_USAGE);
}

export function textOf(step: Pick<Step, 'blocks'>): string {
  return step.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** The failure of a `fail` row. The schema lets it be missing, so there is a default text for people. */
export function failureOf(end: Pick<Step, 'error'>): { code: FailureCode; message: string } {
  return end.error ?? { code: 'internal', message: 'The turn failed.' };
}
