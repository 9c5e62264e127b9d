import type { Outcome, Step, Turn } from '#contracts';
import type { AllRows } from '../port/rows.port.js';
import type { JournalRows } from './assemble-journals.js';

const TURN = [
  '_id',
  'conversation_id',
  'number',
  'user_id',
  'client_message_id',
  'options',
  'at',
  'status',
  'due_at',
] as const;
const STEP = [
  '_id',
  'turn_id',
  'conversation_id',
  'turn_number',
  'n',
  'attempt',
  'kind',
  'calls',
  'stop_reason',
  'final',
  'at',
] as const;
const OUTCOME = [
  '_id',
  'turn_id',
  'conversation_id',
  'n',
  'status',
  'attempt',
  'worker',
  'duration_ms',
  'at',
] as const;

/** The rows of several turns without what is large in them. Claims and answers are small. */
export async function readOutlineRows(
  { turns, steps, claims, outcomes, answers }: AllRows,
  turnIds: string[],
): Promise<{ turns: Turn[]; rows: JournalRows }> {
  const ofTurns = { among: { field: 'turn_id', values: turnIds } } as const;
  const [turnParts, stepParts, outcomeParts, claimRows, answerRows] = await Promise.all([
    turns.findParts({ among: { field: '_id', values: turnIds } }, TURN),
    steps.findParts(ofTurns, STEP),
    outcomes.findParts(ofTurns, OUTCOME),
    claims.find(ofTurns),
    answers.find(ofTurns),
  ]);
  return {
    turns: turnParts.map((part) => ({ ...part, content: '' })),
    rows: {
      steps: stepParts.map(toStep),
      claims: claimRows,
      outcomes: outcomeParts.map(toOutcome),
      answers: answerRows,
    },
  };
}

/** A database may give null for a field that the row lacks. */
function toStep({ final, ...part }: Pick<Step, (typeof STEP)[number]>): Step {
  return { ...part, ...(final == null ? {} : { final }), blocks: [], usage: null };
}

function toOutcome(part: Pick<Outcome, (typeof OUTCOME)[number]>): Outcome {
  return { ...part, data: null, error: null, explanation: null };
}
