import type { Block, FailureCode, Journal, Step } from '#contracts';
import type { Streamed } from '../model/stream-step.js';

type StepContent = Pick<Step, 'kind' | 'attempt'> &
  Partial<Pick<Step, 'blocks' | 'calls' | 'stop_reason' | 'usage' | 'error'>>;

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

/** The text that viewers have seen, for `cancel` and `fail` rows; calls that were never committed leave no trace. */
export function partialText(streamed: Pick<Streamed, 'blocks'> | undefined): Block[] {
  return (streamed?.blocks ?? []).filter((block) => block.type === 'text' && block.text.trim() !== '');
}

export function failRow(
  journal: Pick<Journal, 'turn'>,
  n: number,
  error: { code: FailureCode; message: string },
  streamed?: Pick<Streamed, 'blocks' | 'attempt'>,
): Step {
  return stepRow(journal, n, {
    kind: 'fail',
    attempt: streamed?.attempt ?? 0,
    blocks: partialText(streamed),
    error,
  });
}
