import { Anthropic } from '@anthropic-ai/sdk';
import type { Clock } from '#time';
import { cutOffError } from '../port/failed-request.js';
import type { Model, ModelPart, ModelRequest } from '../port/model.port.js';
import { withoutProvider } from '../port/model-name.js';
import { ANTHROPIC_API } from './anthropic-api.js';
import { StreamReader } from './stream-reader.js';
import { toApiRequest } from './to-api-request.js';
import { isThinkingRefused, toModelError } from './to-model-error.js';

export interface AnthropicOptions {
  apiKey: string;
  clock: Pick<Clock, 'wall'>;
  /** Without `/v1`; default: the public API. */
  baseUrl?: string;
  /** The timeout until the first byte of an answer. */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;

type Events = AsyncIterable<Anthropic.Beta.BetaRawMessageStreamEvent>;

/** Claude over the Messages API. Makes one request per call; the orchestrator does the retries. */
export class AnthropicModel implements Model {
  private readonly client: Anthropic;

  constructor(private readonly options: AnthropicOptions) {
    this.client = new Anthropic({
      apiKey: options.apiKey,
      baseURL: options.baseUrl ?? ANTHROPIC_API.publicUrl,
      timeout: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxRetries: 0,
      // Otherwise the SDK would log bodies and create its own spans.
      logLevel: 'off',
      openTelemetry: false,
    });
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    signal.throwIfAborted();
    const reader = new StreamReader(request.model);
    try {
      for await (const event of await this.open(request, signal)) {
        signal.throwIfAborted();
        yield* reader.read(event);
      }
    } catch (error) {
      if (reader.isComplete) return;
      signal.throwIfAborted();
      throw toModelError(error, this.options.apiKey, this.options.clock);
    }
    if (reader.isComplete) return;
    // The SDK ends an aborted stream without an error.
    signal.throwIfAborted();
    throw cutOffError(ANTHROPIC_API);
  }

  /**
   * Thinking that the provider does not take back (made with another account or before a change of tools) would fail
   * every later request of the conversation, so it is left out in that case.
   */
  private async open(request: ModelRequest, signal: AbortSignal): Promise<Events> {
    const model = withoutProvider(request.model);
    const create = (withThinking: boolean) =>
      this.client.beta.messages.create(toApiRequest(request, model, { withThinking }), { signal });
    try {
      return await create(true);
    } catch (error) {
      if (!isThinkingRefused(error)) throw error;
      return create(false);
    }
  }
}
