import type { Journal, Step } from '#contracts';
import { timestampOf, type Clock } from '#time';

type StepContent = Pick<Step, 'kind' | 'attempt'> &
  Partial<Pick<Step, 'blocks' | 'calls' | 'stop_reason' | 'usage' | 'model' | 'final' | 'error'>>;

/** A row of the turn's journal, stamped now by the writer's clock. */
export function stepRow(
  { clock }: { clock: Pick<Clock, 'wall'> },
  { turn }: Pick<Journal, 'turn'>,
  n: number,
  content: StepContent,
): Step {
  return {
    _id: `${turn._id}:${n}`,
    turn_id: turn._id,
    conversation_id: turn.conversation_id,
    turn_number: turn.number,
    n,
    blocks: [],
    calls: [],
    stop_reason: null,
    usage: null,
    at: timestampOf(clock),
    ...content,
  };
}
