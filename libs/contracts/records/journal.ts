import type { Answer, Claim, Outcome } from './decisions.js';
import type { Step } from './step.js';
import type { Turn } from './turn.js';

/** Everything that decides what happens next in a turn. Steps by `n`, claims by `n` within their work. */
export interface Journal {
  turn: Turn;
  steps: Step[];
  claims: Claim[];
  outcomes: Outcome[];
  answers: Answer[];
}
