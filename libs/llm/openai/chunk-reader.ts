import type { Usage } from '#contracts';
import type { ModelPart } from '../port/model.port.js';
import { toolCallPart } from '../port/tool-arguments.js';
import { CallCollector, type CallDelta } from './call-collector.js';
import type { ChatProvider } from './chat-provider.js';
import { toStopReason } from './stop-reason.js';
import { ThoughtSplitter } from './thought-splitter.js';

/** The fields in which compatible servers send reasoning; it goes back in the same field. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;
type ReasoningField = (typeof REASONING_FIELDS)[number];

type Delta = Partial<Record<ReasoningField | 'content' | 'refusal', unknown>> & {
  tool_calls?: CallDelta[] | null;
  extra_content?: { google?: { thought?: unknown } } | null;
};

/** A chunk, with all fields that servers add to the standard. */
export interface ChatChunk {
  choices?: { delta?: Delta | null; finish_reason?: string | null }[] | null;
  usage?: ChatUsage | null;
}

interface ChatUsage {
  prompt_tokens?: number;
  completion_tokens?: number;
  total_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number } | null;
  prompt_cache_hit_tokens?: number;
}

/** Turns the chunks of one answer into parts. No I/O; one reader per answer. */
export class ChunkReader {
  private readonly calls = new CallCollector();
  private readonly splitter = new ThoughtSplitter();
  private thinking: { text: string; field?: ReasoningField } | undefined;
  private finishReason: string | undefined;
  private hasRefused = false;
  private usage: ChatUsage = {};

  /** `model`: the mark of its thinking. */
  constructor(
    private readonly provider: ChatProvider,
    private readonly model: string,
  ) {}

  /** True once the answer is complete: only its usage may still come. */
  get isComplete(): boolean {
    return this.finishReason !== undefined;
  }

  read(chunk: ChatChunk | null): ModelPart[] {
    if (chunk?.usage) this.usage = chunk.usage;
    const choice = chunk?.choices?.[0];
    const parts = choice?.delta ? this.readDelta(choice.delta) : [];
    if (choice?.finish_reason) this.finishReason = choice.finish_reason;
    // Some servers report usage with each chunk; for a complete answer the end reports it.
    const isInterim = chunk?.usage && !this.isComplete;
    return isInterim ? [...parts, { type: 'usage', usage: toUsage(this.usage) }] : parts;
  }

  /** The remaining parts after the end of the stream: the calls, which are complete only now, and the end. */
  finish(): ModelPart[] {
    const { calls } = this.calls;
    const stop_reason = this.hasRefused
      ? 'refusal'
      : toStopReason(this.finishReason ?? '', calls.length > 0, this.provider);
    const rest = this.splitter.end();
    const parts = [...this.think(rest.thought), ...this.say(rest.answer), ...this.closeThinking()];
    for (const [index, { name, json, signature }] of calls.entries()) {
      if (signature) parts.push({ type: 'thinking_end', text: '', signature, model: this.model });
      const isCutOff = stop_reason === 'max_tokens' && index === calls.length - 1;
      parts.push(toolCallPart(name, json.trim() === '' && !isCutOff ? '{}' : json));
    }
    return [...parts, { type: 'end', stop_reason, usage: toUsage(this.usage) }];
  }

  private readDelta(delta: Delta): ModelPart[] {
    const field = REASONING_FIELDS.find((name) => typeof delta[name] === 'string' && delta[name] !== '');
    const parts = field ? this.think(delta[field] as string, field) : [];
    if (typeof delta.content === 'string') parts.push(...this.readContent(delta.content, delta));
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.hasRefused = true;
      parts.push(...this.say(delta.refusal));
    }
    for (const call of delta.tool_calls ?? []) {
      const text = this.calls.add(call);
      if (text !== '') parts.push({ type: 'tool_call_delta', text });
    }
    return parts;
  }

  private readContent(content: string, { extra_content }: Delta): ModelPart[] {
    if (!this.provider.thoughtsInContent) return this.say(content);
    const { thought, answer } = this.splitter.split(content, extra_content?.google?.thought === true);
    return [...this.think(thought), ...this.say(answer)];
  }

  private think(text: string, field?: ReasoningField): ModelPart[] {
    if (text === '') return [];
    this.thinking ??= { text: '', ...(field && { field }) };
    this.thinking.text += text;
    return [{ type: 'thinking', text }];
  }

  private say(text: string): ModelPart[] {
    return text === '' ? [] : [...this.closeThinking(), { type: 'text', text }];
  }

  private closeThinking(): ModelPart[] {
    const { thinking } = this;
    this.thinking = undefined;
    if (!thinking) return [];
    const { text, field } = thinking;
    return [{ type: 'thinking_end', text, model: this.model, ...(field && { data: field }) }];
  }
}

function toUsage(usage: ChatUsage): Usage {
  const input_tokens = toCount(usage.prompt_tokens);
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens;
  // Gemini counts thinking in the total only.
  const output_tokens = Math.max(
    toCount(usage.completion_tokens),
    toCount(usage.total_tokens) - input_tokens,
  );
  return { input_tokens, output_tokens, cached_tokens: Math.min(toCount(cached), input_tokens) };
}

function toCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.round(value)) : 0;
}
