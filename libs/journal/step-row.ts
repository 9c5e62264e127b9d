import type { Journal, Step } from '#contracts';

type StepContent = Pick<Step, 'kind' | 'attempt'> &
  Partial<Pick<Step, 'blocks' | 'calls' | 'stop_reason' | 'usage' | 'model' | 'final' | 'error'>>;

/** A row of the turn's journal, stamped now. */
export function stepRow({ turn }: Pick<Journal, 'turn'>, n: number, content: StepContent): Step {
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
    at: new Date().toISOString(),
    ...content,
  };
}
