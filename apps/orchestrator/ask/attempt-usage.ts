import type { Usage } from '#contracts';
import { hidesReasoning, type ModelPart, type ModelRequest } from '#llm';
import type { Clock } from '#time';
import { estimateTokens, NO_USAGE, tokensOfText } from '#turn';

/** Roughly the speed of such models. */
const HIDDEN_TOKENS_PER_SECOND = 150;

/**
 * Counts what one request to a provider used. Providers tell it with the end of an answer, most of them not before, so
 * an answer that was stopped or broke off is estimated: otherwise a Stop would make it free.
 */
export class AttemptUsage {
  private reported = NO_USAGE;
  private firstPartAt: number | undefined;
  private end: Extract<ModelPart, { type: 'end' }> | undefined;
  private said = '';
  /** Counts pieces and whole calls, because some providers send one, some the other, some both. */
  private readonly ofCalls = { pieces: '', whole: '' };
  private readonly askedAt: number;
  private firstWordAt: number | undefined;

  constructor(
    private readonly request: ModelRequest,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.askedAt = clock.now();
  }

  read(part: ModelPart): void {
    this.firstPartAt ??= this.clock.now();
    if (part.type !== 'usage') this.firstWordAt ??= this.clock.now();
    switch (part.type) {
      case 'text':
      case 'thinking':
        this.said += part.text;
        return;
      case 'thinking_end':
        // Hidden thinking has no text, only this.
        if (part.text === '') this.said += part.data ?? part.signature ?? '';
        return;
      case 'tool_call_delta':
        this.ofCalls.pieces += part.text;
        return;
      case 'tool_call':
        this.ofCalls.whole += part.arguments ? JSON.stringify(part.arguments) : part.raw;
        return;
      case 'usage':
        this.reported = part.usage;
        return;
      case 'end':
        this.reported = part.usage;
        this.end = part;
    }
  }

  /**
   * Undefined if nothing arrived: the request was refused or never reached the provider. `isAborted`: the signal ended
   * the request, so the provider may have worked before it sent anything.
   */
  sum(isAborted: boolean): Usage | undefined {
    if (this.firstPartAt === undefined && !isAborted) return undefined;
    return this.isFullyReported ? this.reported : this.estimate();
  }

  /** Undefined if nothing arrived. */
  get firstPartMs(): number | undefined {
    return this.firstPartAt === undefined ? undefined : this.firstPartAt - this.askedAt;
  }

  private get isFullyReported(): boolean {
    if (!this.end) return false;
    if (this.reported.input_tokens + this.reported.output_tokens > 0) return true;
    // A filter refused the question before any model read it.
    return this.end.stop_reason === 'refusal' && this.written === '';
  }

  private get written(): string {
    const { pieces, whole } = this.ofCalls;
    return this.said + (pieces.length > whole.length ? pieces : whole);
  }

  /** The reported input is exact from its first word on. The reported output is only what was counted until then. */
  private estimate(): Usage {
    const { input_tokens, output_tokens, cached_tokens } = this.reported;
    const { model, max_output_tokens } = this.request;
    const hidden = hidesReasoning(model) ? this.hiddenTokens : 0;
    const written = Math.min(tokensOfText(this.written) + hidden, max_output_tokens);
    return {
      input_tokens: input_tokens > 0 ? input_tokens : estimateTokens(this.request),
      output_tokens: Math.max(output_tokens, written),
      cached_tokens,
    };
  }

  /** Only the time that it takes is visible. */
  private get hiddenTokens(): number {
    const silentMs = (this.firstWordAt ?? this.clock.now()) - this.askedAt;
    return Math.ceil((silentMs / 1_000) * HIDDEN_TOKENS_PER_SECOND);
  }
}
