import { useOfModel } from '#bootstrap';
import type { FailureCode, Step } from '#contracts';
import { stepRow } from '#journal';
import { contextWindowOf, type ModelRequest } from '#llm';
import { compacted, estimateTokens, messagesOfTurn, stepAttempt, textOf } from '#turn';
import type { DrivingDeps } from '../work/driving.deps.js';
import { asksModel } from './asks-model.js';
import { emitWaiting } from '../ask/emit-waiting.js';
import { findRoom, mayCompact, mayShortenInstead, type RoomSought } from './find-room.js';
import type { Streamed } from '../ask/stream-step.js';
import { failRow, failureCodeOf } from './step-row.js';
import type { Asking, Summariser } from './summariser.js';
import type { TurnWork } from '../work/turn-work.js';

/** What came of it: a row to commit, or that it was interrupted. */
export type Written = { row: Step } | { interrupted: Streamed };

type Request = Omit<ModelRequest, 'model'>;
type Answered = Extract<Streamed, { ended: 'answered' }>;

const NOTHING_WRITTEN =
  'the model wrote nothing, with more room for it neither. Choose another model, or begin a new conversation.';

/** The step that makes room before the first model step of a turn: by shortening results, or by a summary. */
export class SummaryStep {
  constructor(
    private readonly deps: DrivingDeps,
    private readonly work: TurnWork,
    private readonly summariser: Summariser,
  ) {}

  /** Undefined when the request fits as it is, as far as is known. */
  async beforeRequest(request: Request, asking: Asking): Promise<Written | undefined> {
    if (this.windowTokens === undefined || !this.mayCompact) return undefined;
    const room = findRoom(this.sought(request));
    if (room === 'enough') return undefined;
    if (room === 'summarise') return this.summarise(request, asking);
    const attempt = stepAttempt(this.work.claimAttempt, 0);
    return { row: this.shortened(asking.place.step, { attempt, usage: null }) };
  }

  /** Whether a provider that finds the request too long may find a shorter one. */
  get mayCompact(): boolean {
    return asksModel(this.work.memory.journal.turn.options) && mayCompact(this.before);
  }

  /**
   * The call that would have been `request` otherwise.
   *
   * @param refusedTokens of a request that the provider found too long: then no window that is known is to be trusted.
   */
  async summarise(request: Request, asking: Asking, refusedTokens = Infinity): Promise<Written> {
    const { windowTokens } = this;
    emitWaiting(this.deps.clock, asking, 'Earlier messages are being summarised, to make room.', 0);
    const { history, steps } = this.before;
    const { model, streamed } = await this.summariser.summarise(asking, compacted(history, steps), {
      windowTokens,
      refusedTokens,
      maxOutputTokens: request.max_output_tokens,
    });
    if (streamed.ended === 'aborted') return { interrupted: { ...streamed, blocks: [] } };
    const n = asking.place.step;
    if (streamed.ended === 'failed') return { row: this.failed(n, streamed) };
    if (streamed.stopReason === 'refusal') return { row: this.declined(n, streamed) };
    const text = textOf(streamed).trim();
    if (text !== '') return { row: this.summarised(n, model, streamed, text) };
    const { attempt, usage } = streamed;
    if (mayShortenInstead(this.sought(request))) return { row: this.shortened(n, { attempt, usage }) };
    return { row: this.fail(n, 'model_error', NOTHING_WRITTEN, streamed) };
  }

  private get before() {
    return { history: this.work.history, steps: this.work.memory.journal.steps };
  }

  private get windowTokens(): number | undefined {
    const [model] = this.summariser.candidates;
    return useOfModel(this.deps.settings.modelUse, model!).contextTokens ?? contextWindowOf(model!);
  }

  /** The summary of a history is counted with its messages. */
  private sought({ summary: _counted, ...request }: Request): RoomSought {
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

  private summarised(n: number, model: string, streamed: Answered, text: string): Step {
    const { attempt, stopReason: stop_reason, usage } = streamed;
    const blocks = [{ type: 'text' as const, text }];
    const said = { attempt, blocks, stop_reason, usage, model };
    return stepRow(this.deps, this.work.memory.journal, n, { kind: 'summary', ...said });
  }

  private failed(n: number, streamed: Extract<Streamed, { ended: 'failed' }>): Step {
    return this.fail(n, failureCodeOf(streamed.error), streamed.error.message, streamed);
  }

  private declined(n: number, streamed: Answered): Step {
    return this.fail(n, 'refused', 'the model declined.', streamed);
  }

  private fail(n: number, code: FailureCode, reason: string, { attempt, usage }: Streamed): Step {
    const message = `The earlier messages could not be summarised: ${reason}`;
    return failRow(this.deps, this.work.memory.journal, n, { code, message }, { attempt, usage, blocks: [] });
  }
}
