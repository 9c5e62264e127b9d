import type { ImageType, StopReason, Usage } from '#contracts';
import type { ModelMessage } from '#turn';

/** A tool as offered to the model; `name` matches `^[a-zA-Z0-9_-]{1,64}$`. */
export interface ModelTool {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

export type { ImageReference, ModelMessage, UserContent } from '#turn';

/** A picture in the form that providers accept. */
export interface ModelImage {
  content_type: ImageType;
  /** Base64. */
  data: string;
}

export interface ModelRequest {
  /** `provider/model`, or `demo`. */
  model: string;
  system: string;
  /** A summary of the conversation before `messages`; providers get it as a record next to the system prompt. */
  summary?: string;
  messages: ModelMessage[];
  /** Sorted by name, except for a tool that is only there to be forced: the order is part of the cached prefix. */
  tools: ModelTool[];
  /**
   * Providers with a cache list it after `tools`: a later request will force it and should find its prefix in the
   * cache. A model that calls it earlier must be understood.
   */
  answer_tool?: ModelTool;
  /**
   * One of `tools` that the model must call now. The caller has checked `canForceTool(model)`: a model that cannot be
   * forced chooses freely.
   */
  tool_choice?: { name: string };
  max_output_tokens: number;
  /** `least`: the least reasoning that the model supports, for a text that should not cost any. */
  reasoning?: 'least';
  temperature?: number;
  /** The pictures of `messages` that are shown, by artifact id. Any other picture is described by its text. */
  images?: ReadonlyMap<string, ModelImage>;
}

/**
 * What a streamed call yields, in order. Exactly one `end` is last; before it every `tool_call` is complete.
 * `arguments` is undefined when the input was not a JSON object (for example cut off by `max_tokens`), and `raw` then
 * holds the input (at most 2,000 characters).
 */
export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  /**
   * A finished thinking block. With `signature` or `data` it goes back unchanged, but only to the provider of `model`.
   * Only that provider's adapter can read `data`.
   */
  | { type: 'thinking_end'; text: string; signature?: string; data?: string; model?: string }
  /** A piece of a call's arguments while the model writes them, for counting; the complete call follows. */
  | { type: 'tool_call_delta'; text: string }
  | { type: 'tool_call'; name: string; arguments: Record<string, unknown> | undefined; raw: string }
  /** The usage that the provider has counted so far, for an answer that breaks off. */
  | { type: 'usage'; usage: Usage }
  | { type: 'end'; stop_reason: StopReason; usage: Usage };

/** The seam to a model provider. Aborting the signal ends the request at the provider too. */
export interface Model {
  /** Throws `ModelError`; after `signal` aborts, throws the signal's reason. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

/** A failed call, translated once at the edge. The adapter decides `retryable`; the orchestrator does the retries. */
export class ModelError extends Error {
  override name = 'ModelError';
  constructor(
    message: string,
    /**
     * `used_up`: the account has no quota or credit left, and waiting minutes does not help; another model may answer.
     */
    readonly kind:
      | 'overloaded'
      | 'rate_limited'
      | 'used_up'
      | 'server'
      | 'network'
      | 'invalid'
      | 'auth'
      | 'context_overflow',
    readonly options: { retryable: boolean; retryAfterMs?: number; status?: number },
  ) {
    super(message);
  }
}
