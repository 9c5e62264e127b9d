import type { ImageType, StopReason, Usage } from '#contracts';
import type { ModelMessage } from '#turn';

/** A tool as the model is offered it; `name` matches `^[a-zA-Z0-9_-]{1,64}$`. */
export interface ModelTool {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

export type { ImageReference, ModelMessage, UserContent } from '#turn';

/** A picture as a provider takes it. */
export interface ModelImage {
  content_type: ImageType;
  /** Base64. */
  data: string;
}

export interface ModelRequest {
  /** `provider/model`, or `demo`. */
  model: string;
  system: string;
  /** Of what was said before `messages`: a record, which providers are given besides the system prompt. */
  summary?: string;
  messages: ModelMessage[];
  /** Sorted by name, but for one that is only there to be forced: the order is part of the cached prefix. */
  tools: ModelTool[];
  /**
   * Listed behind `tools` by providers that keep a cache: a later request will force it, and should find its front in
   * there. Whoever calls it before is to be understood.
   */
  answer_tool?: ModelTool;
  /**
   * One of `tools` that the model must call now. Who asks for it has asked `canForceTool(model)` before: a model that
   * cannot be forced chooses for itself.
   */
  tool_choice?: { name: string };
  max_output_tokens: number;
  /** `least`: as little reasoning as the model can be told, for a text that should not cost any. */
  reasoning?: 'least';
  temperature?: number;
  /** By artifact id: the pictures of `messages` that are shown. Of any other its text says what it is. */
  images?: ReadonlyMap<string, ModelImage>;
}

/**
 * What a streamed call yields, in order. Exactly one `end` is last; before it every `tool_call` is complete.
 * `arguments` is undefined when the input was not a JSON object (for example cut off by `max_tokens`), `raw` is then
 * what came (at most 2,000 characters).
 */
export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  /**
   * A finished thinking block; with `signature` or `data` it goes back unchanged, to the provider of `model` only. What
   * `data` means only the adapter knows.
   */
  | { type: 'thinking_end'; text: string; signature?: string; data?: string; model?: string }
  /** A piece of a call's arguments as it is being written, to be counted; the call follows whole. */
  | { type: 'tool_call_delta'; text: string }
  | { type: 'tool_call'; name: string; arguments: Record<string, unknown> | undefined; raw: string }
  /** What the provider has counted so far, for an answer that breaks off. */
  | { type: 'usage'; usage: Usage }
  | { type: 'end'; stop_reason: StopReason; usage: Usage };

/** The seam to a model provider. Aborting the signal ends the request for real. */
export interface Model {
  /** Throws `ModelError`; after `signal` aborts, throws the signal's reason. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

/** A failed call, translated once at the edge. `retryable` is decided here, who retries is the orchestrator. */
export class ModelError extends Error {
  override name = 'ModelError';
  constructor(
    message: string,
    /** `used_up`: the account has no quota or credit left, and no wait of minutes helps; another model may answer. */
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
