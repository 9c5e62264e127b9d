import type { Call, CatalogTool, FailureCode, Step } from '#contracts';
import { stepRow } from '#journal';
import type { ArgumentValidator, Offer } from '#tools';
import { asksModel, answerDue, approvedTools, textOf } from '#turn';
import type { FailedAnswer, WholeAnswer } from '../ask/model-answer.js';
import type { DrivingDeps } from '../work/driving.deps.js';
import type { TurnWork } from '../work/turn-work.js';
import { finalAnswer, isAnswerAlready, isEarlyAnswer } from './final-answer.js';
import { refuseEndless, resolveCalls, withDataFiles } from './resolve-calls.js';
import { failRow, failureCodeOf } from './fail-row.js';
import type { StepInProgress } from './step-viewers.js';

/** Viewers read a longer answer from the store. */
const MAX_SHOWN_LENGTH = 200_000;

/** Turns the answers of a driven turn's models into rows. */
export class AnswerRecorder {
  constructor(
    private readonly deps: DrivingDeps,
    private readonly validator: ArgumentValidator,
    private readonly work: TurnWork,
    private readonly offer: Offer,
  ) {}

  async record(
    answer: WholeAnswer | FailedAnswer,
    { n, viewers }: Pick<StepInProgress, 'n' | 'viewers'>,
  ): Promise<Step> {
    const { journal } = this.work.memory;
    const failure = findFailure(answer, this.deps.settings.budgets.parallelCalls);
    if (failure || answer.ended === 'failed') return failRow(this.deps, journal, n, failure!, answer);
    const { model, attempt, blocks, stopReason: stop_reason, usage } = answer;
    const written = { kind: 'model' as const, ...(asksModel(journal.turn.options) ? { model } : {}) };
    if (answerDue(journal) || isEarlyAnswer(answer, journal))
      return stepRow(this.deps, journal, n, { ...written, ...this.finalAnswer(answer, viewers) });
    const calls = await this.callsOf(answer);
    const final = calls.length === 0 && isAnswerAlready(journal, model) ? { final: true } : {};
    return stepRow(this.deps, journal, n, {
      ...written,
      attempt,
      blocks,
      calls,
      stop_reason,
      usage,
      ...final,
    });
  }

  /** Viewers have not seen an answer that came as the argument of a call. */
  private finalAnswer(answer: WholeAnswer, viewers: StepInProgress['viewers']) {
    const { attempt, usage } = answer;
    const final = finalAnswer(answer, this.work.memory.journal);
    const content = textOf(final);
    if (content !== '' && content.length <= MAX_SHOWN_LENGTH && textOf(answer) === '')
      viewers.showWhole(attempt, content);
    return { attempt, usage, ...final };
  }

  private async callsOf({ asked, stopReason }: WholeAnswer): Promise<Call[]> {
    const { journal } = this.work.memory;
    const { options } = journal.turn;
    const calls = await resolveCalls(asked, stopReason, {
      catalogue: this.work.catalogue,
      offered: this.offer.filter(this.work.catalogue),
      whyNotOffered: (tool) => this.offer.whyNot(tool),
      pauseOf: (toolName) => this.deps.switches.pauseOf(toolName),
      needsApproval: (tool) => this.needsApproval(tool),
      approversOf: (toolName) => this.deps.settings.approversOf(toolName),
      completeArguments: (tool, args) => withDataFiles(tool, args, options),
      earlier: journal.steps.flatMap(({ calls: before }) => before),
      identicalCallsOf: (tool) => this.deps.settings.identicalCallsOf(tool),
      validator: this.validator,
      userId: journal.turn.user_id,
      budgets: this.deps.settings.budgets,
      now: this.deps.clock.wall(),
    });
    return options.formatter ? refuseEndless(calls, journal.steps) : calls;
  }

  private needsApproval(tool: CatalogTool): boolean {
    const { roles = [] } = this.work.memory.journal.turn;
    const mode = this.deps.settings.approvalOf(tool, roles);
    if (mode !== 'first') return mode === 'always';
    const { memory, approvedBefore } = this.work;
    return !approvedBefore.has(tool.name) && !approvedTools(memory.journal).includes(tool.name);
  }
}

/** The reason why the turn ends with this step; undefined if it continues. */
function findFailure(
  answer: WholeAnswer | FailedAnswer,
  parallelCalls: number,
): { code: FailureCode; message: string } | undefined {
  if (answer.ended === 'failed') return { code: failureCodeOf(answer.error), message: answer.error.message };
  if (answer.stopReason === 'refusal')
    return { code: 'refused', message: 'The model declined to answer this.' };
  if (answer.stopReason === 'context_overflow')
    return { code: 'context_overflow', message: 'The conversation is too long for the model.' };
  if (answer.asked.length <= parallelCalls) return undefined;
  const message = `Stopped at the limit of ${parallelCalls} calls at once. Send a message to continue.`;
  return { code: 'budget_exceeded', message };
}
