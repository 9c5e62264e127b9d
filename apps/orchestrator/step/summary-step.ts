import { useOfModel } from '#bootstrap';
import type { FailureCode, Step } from '#contracts';
import { stepRow } from '#journal';
import { contextWindowOf } from '#llm';
import { asksModel, compacted, estimateTokens, messagesOfTurn, stepAttempt, textOf } from '#turn';
import type { FailedAnswer, ModelAnswer, WholeAnswer } from '../ask/model-answer.js';
import type { DrivingDeps } from '../work/driving.deps.js';
import type { TurnWork } from '../work/turn-work.js';
import { planCompaction, mayCompact, mayShortenInstead, type CompactionInput } from './plan-compaction.js';
import type { StepRequest } from './prepare-request.js';
import { failRow, failureCodeOf } from './fail-row.js';
import type { StepInProgress } from './step-viewers.js';
import type { Summariser } from './summariser.js';

/** The result: a row to commit, or an interrupted answer. */
export type Written = { row: Step } | { interrupted: ModelAnswer };

const NOTHING_WRITTEN =
  'the model wrote nothing, even with more room. Choose another model, or start a new conversation.';

/** The step that makes room before the first model step of a turn: by shortening results, or by a summary. */
export class SummaryStep {
  constructor(
    private readonly deps: DrivingDeps,
    private readonly work: TurnWork,
    private readonly summariser: Summariser,
  ) {}

  /** Undefined when, as far as is known, the request fits as it is. */
  async beforeRequest(request: StepRequest, step: StepInProgress): Promise<Written | undefined> {
    if (this.windowTokens === undefined || !this.mayCompact) return undefined;
    const plan = planCompaction(this.compactionInput(request));
    if (plan === 'none') return undefined;
    if (plan === 'summarise') return this.summarise(request, step);
    const attempt = stepAttempt(this.work.claimAttempt, 0);
    return { row: this.shortened(step.n, { attempt, usage: null }) };
  }

  /** Whether there may be a shorter request when a provider finds this one too long. */
  get mayCompact(): boolean {
    return asksModel(this.work.memory.journal.turn.options) && mayCompact(this.before);
  }

  /**
   * The step that replaces `request`.
   *
   * @param refusedTokens of a request that the provider found too long: no known window can be trusted then.
   */
  async summarise(request: StepRequest, step: StepInProgress, refusedTokens = Infinity): Promise<Written> {
    const { windowTokens } = this;
    step.viewers.wait('Earlier messages are being summarised, to make room.', 0);
    const { history, steps } = this.before;
    const answer = await this.summariser.summarise(step, compacted(history, steps), {
      windowTokens,
      refusedTokens,
      maxOutputTokens: request.max_output_tokens,
    });
    if (answer.ended === 'aborted') return { interrupted: { ...answer, blocks: [] } };
    const { n } = step;
    if (answer.ended === 'failed') return { row: this.failed(n, answer) };
    if (answer.stopReason === 'refusal')
      return { row: this.fail(n, 'refused', 'the model declined.', answer) };
    const text = textOf(answer).trim();
    if (text !== '') return { row: this.summarised(n, answer, text) };
    const { attempt, usage } = answer;
    if (mayShortenInstead(this.compactionInput(request)))
      return { row: this.shortened(n, { attempt, usage }) };
    return { row: this.fail(n, 'model_error', NOTHING_WRITTEN, answer) };
  }

  private get before() {
    return { history: this.work.history, steps: this.work.memory.journal.steps };
  }

  private get windowTokens(): number | undefined {
    const [model] = this.summariser.candidates;
    return useOfModel(this.deps.settings.modelUse, model!).contextTokens ?? contextWindowOf(model!);
  }

  /** The summary of a history is counted with its messages. */
  private compactionInput({ summary: _counted, ...request }: StepRequest): CompactionInput {
    const messages = messagesOfTurn(this.work.memory.journal);
    return {
      ...this.before,
      ownTokens: estimateTokens({ ...request, messages }),
      windowTokens: this.windowTokens,
      maxOutputTokens: request.max_output_tokens,
    };
  }

  private shortened(n: number, had: Pick<Step, 'attempt' | 'usage'>): Step {
    return stepRow(this.deps, this.work.memory.journal, n, { kind: 'summary', ...had });
  }

  private summarised(n: number, answer: WholeAnswer, text: string): Step {
    const { model, attempt, stopReason: stop_reason, usage } = answer;
    const blocks = [{ type: 'text' as const, text }];
    const said = { attempt, blocks, stop_reason, usage, model };
    return stepRow(this.deps, this.work.memory.journal, n, { kind: 'summary', ...said });
  }

  private failed(n: number, answer: FailedAnswer): Step {
    return this.fail(n, failureCodeOf(answer.error), answer.error.message, answer);
  }

  private fail(n: number, code: FailureCode, reason: string, { attempt, usage }: ModelAnswer): Step {
    const message = `The earlier messages could not be summarised: ${reason}`;
    return failRow(this.deps, this.work.memory.journal, n, { code, message }, { attempt, usage, blocks: [] });
  }
}
