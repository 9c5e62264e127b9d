import type { Answer } from './records/decisions.js';
import type { Step } from './records/step.js';
import type { Turn, TurnStatus } from './records/turn.js';
import type { CallView } from './view.js';

/*
 * A turn played again from its journal, for its owner: recorded answers and results, and no effects. Unlike other
 * answers about operation it holds content.
 */

/** Long arguments and results are cut as in a view; the call's own route has them whole. */
export interface ReplayedCall extends Omit<CallView, 'question' | 'approval'> {
  /** Questions, answers and approvals, in the order of time. */
  answers: Pick<Answer, 'decision' | 'question' | 'action' | 'content' | 'by' | 'at'>[];
}

export interface ReplayedStep extends Pick<
  Step,
  'n' | 'attempt' | 'kind' | 'stop_reason' | 'usage' | 'model' | 'error' | 'at'
> {
  /** Whether a model was asked: not for an end from outside, nor where the answer was known beforehand. */
  asks_model: boolean;
  thinking?: string;
  text: string;
  calls: ReplayedCall[];
}

/** What follows the recorded rows by the rules of this version. */
export type ReplayNext = 'nothing' | 'model' | 'calls' | 'person';

export interface Replay extends Pick<
  Turn,
  'conversation_id' | 'number' | 'user_id' | 'content' | 'options' | 'at'
> {
  turn_id: string;
  status: TurnStatus;
  steps: ReplayedStep[];
  next: ReplayNext;
  /** Where this version would have done something else than was recorded, one sentence each. */
  differences: string[];
  /** What the journal does not hold, so that it is not in the replay. */
  left_out: string[];
}
