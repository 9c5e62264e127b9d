import type { Step } from '#contracts';
import { stepRow } from '#journal';
import { compacted, estimateTokens, messagesOfTurn, stepAttempt } from '#turn';
import { contextWindowOf, type ModelRequest } from '#llm';
import { useOfModel } from '#bootstrap';
import type { DrivingDeps } from '../driving.deps.js';
import { asksModel } from '../model/asks-model.js';
import { emitWaiting } from '../model/emit-waiting.js';
import { findRoom, mayCompact, requestLimit, summaryTokens } from '../model/find-room.js';
import type { Streamed } from '../model/stream-step.js';
import { retriesUpTo } from '../model/stream-with-fallbacks.js';
import { summaryRequest } from '../model/summary-request.js';
import type { Asked, ModelAsker } from './model-asker.js';
import { failRow } from './step-row.js';
import type { TurnWork } from './turn-work.js';

/** What came of it: a row to commit, or that it was interrupted. */
export type Written = { row: Step } | { interrupted: Streamed };

type Asking = Omit<Asked, 'request'>;

const SHARE_OF_REFUSED = 0.5;
const MAX_HALVINGS = 4;

/** The step that makes room before the first model step of a turn: by shortening results, or by a summary. */
export class SummaryStep {
  constructor(
    private readonly deps: DrivingDeps,
    private readonly work: TurnWork,
    private readonly asker: ModelAsker,
  ) {}

  /** Undefined when the request fits as it is, as far as is known. */
  async beforeRequest(request: Omit<ModelRequest, 'model'>, asking: Asking): Promise<Written | undefined> {
    const { windowTokens } = this;
    if (windowTokens === undefined || !this.mayCompact) return undefined;
    const { journal } = this.work.memory;
    const room = findRoom({
      ...this.before,
      ownTokens: estimateTokens({ ...request, messages: messagesOfTurn(journal) }),
      windowTokens,
      maxOutputTokens: request.max_output_tokens,
    });
    if (room === 'enough') return undefined;
    if (room === 'summarise') return this.summarise(request, asking);
    const attempt = stepAttempt(this.work.claimAttempt, 0);
    return { row: stepRow(journal, asking.place.step, { kind: 'summary', attempt }) };
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
  async summarise(
    { max_output_tokens }: Pick<ModelRequest, 'max_output_tokens'>,
    asking: Asking,
    refusedTokens = Infinity,
  ): Promise<Written> {
    const { windowTokens } = this;
    emitWaiting(asking, 'Earlier messages are being summarised, to make room.', 0);
    const outputTokens = summaryTokens(windowTokens);
    const known = requestLimit(windowTokens, Math.max(outputTokens, max_output_tokens)) ?? Infinity;
    const { model, streamed } = await this.askForSummary(asking, {
      inputTokens: Math.min(known, refusedTokens * SHARE_OF_REFUSED),
      outputTokens,
    });
    if (streamed.ended === 'aborted') return { interrupted: { ...streamed, blocks: [] } };
    return { row: this.rowOf(asking.place.step, model, streamed) };
  }

  /** What the provider finds too long is halved until it fits: there is no other way to learn what does. */
  private async askForSummary(
    asking: Asking,
    { inputTokens, outputTokens }: { inputTokens: number; outputTokens: number },
    halvings = MAX_HALVINGS,
  ): ReturnType<ModelAsker['ask']> {
    const { history, steps } = this.before;
    const request = summaryRequest(compacted(history, steps), { inputTokens, outputTokens });
    const answer = await this.asker.ask({
      ...asking,
      request,
      // What is said here is no part of the answer.
      emit: (event) => {
        if (event.type !== 'token' && event.type !== 'thinking') asking.emit(event);
      },
      onAttempt: ({ attempt }) => asking.onAttempt({ attempt, text: '' }),
    });
    const { streamed } = answer;
    const isTooLong = streamed.ended === 'failed' && streamed.error.kind === 'context_overflow';
    if (!isTooLong || halvings === 0) return answer;
    const retriesBefore = retriesUpTo(streamed, this.work.claimAttempt);
    const fewer = { inputTokens: estimateTokens(request) * SHARE_OF_REFUSED, outputTokens };
    return this.askForSummary({ ...asking, retriesBefore }, fewer, halvings - 1);
  }

  private get before() {
    return { history: this.work.history, steps: this.work.memory.journal.steps };
  }

  private get windowTokens(): number | undefined {
    const [model] = this.asker.candidates;
    const { modelUse = new Map() } = this.deps.settings;
    return useOfModel(modelUse, model!).contextTokens ?? contextWindowOf(model!);
  }

  private rowOf(n: number, model: string, streamed: Exclude<Streamed, { ended: 'aborted' }>): Step {
    const { journal } = this.work.memory;
    const { attempt } = streamed;
    const fail = (code: 'context_overflow' | 'model_error' | 'refused', reason: string) =>
      failRow(
        journal,
        n,
        { code, message: `The earlier messages could not be summarised: ${reason}` },
        { attempt, blocks: [], usage: streamed.usage },
      );
    if (streamed.ended === 'failed') {
      const { kind, message } = streamed.error;
      return fail(kind === 'context_overflow' ? 'context_overflow' : 'model_error', message);
    }
    if (streamed.stopReason === 'refusal') return fail('refused', 'the model declined.');
    const text = streamed.blocks
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('')
      .trim();
    if (text === '') return fail('model_error', 'the model said nothing.');
    const { stopReason: stop_reason, usage } = streamed;
    return stepRow(journal, n, {
      kind: 'summary',
      attempt,
      blocks: [{ type: 'text', text }],
      stop_reason,
      usage,
      model,
    });
  }
}
