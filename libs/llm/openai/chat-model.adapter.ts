import { OpenAI } from 'openai';
import type { Clock } from '#time';
import { cutOffError } from '../port/failed-request.js';
import type { Model, ModelPart, ModelRequest } from '../port/model.port.js';
import type { ChatProvider } from './chat-provider.js';
import { ChunkReader } from './chunk-reader.js';
import { normalizeErrorBody } from './error-body.js';
import { isDeclined, isImageRefused, toChatError } from './to-chat-error.js';
import { toChatRequest } from './to-chat-request.js';

export interface ChatModelOptions {
  provider: ChatProvider;
  clock: Pick<Clock, 'wall'>;
  /** A private server may need none. */
  apiKey?: string;
  /** The URL before `/chat/completions`; default: the public service. */
  baseUrl?: string;
  /** The timeout until the first byte of an answer. */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
const NO_USAGE = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };

/**
 * A model behind OpenAI's Chat Completions, on any server. Makes one request per call; the orchestrator does the
 * retries.
 */
export class ChatModel implements Model {
  private readonly client: OpenAI;

  constructor(private readonly options: ChatModelOptions) {
    const { provider, apiKey, baseUrl, timeoutMs } = options;
    this.client = new OpenAI({
      apiKey: apiKey ?? 'none',
      baseURL: baseUrl ?? provider.publicUrl,
      timeout: timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxRetries: 0,
      // Otherwise the SDK would log bodies and read these from the environment.
      logLevel: 'off',
      organization: null,
      project: null,
      fetch: fetchReadably,
      ...(apiKey === undefined && { defaultHeaders: { authorization: null } }),
    });
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    signal.throwIfAborted();
    const { provider, apiKey = '', clock } = this.options;
    const reader = new ChunkReader(provider, request.model);
    try {
      for await (const chunk of await this.open(request, signal)) {
        signal.throwIfAborted();
        yield* reader.read(chunk);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isDeclined(error)) {
        yield { type: 'end', stop_reason: 'refusal', usage: NO_USAGE };
        return;
      }
      if (!reader.isComplete) throw toChatError(error, { provider, apiKey, clock });
    }
    // The SDK ends an aborted stream without an error.
    signal.throwIfAborted();
    if (!reader.isComplete) throw cutOffError(provider);
    yield* reader.finish();
  }

  /**
   * A model that accepts no pictures would fail every later request of the conversation, so pictures are only named for
   * it.
   */
  private async open(request: ModelRequest, signal: AbortSignal) {
    const create = (withImages: boolean) =>
      this.client.chat.completions.create(toChatRequest(request, this.options.provider, { withImages }), {
        signal,
      });
    try {
      return await create(true);
    } catch (error) {
      if (!request.images?.size || !isImageRefused(error)) throw error;
      return create(false);
    }
  }
}

/** The SDK reads errors in one form only. */
async function fetchReadably(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.ok) return response;
  const { status, statusText, headers } = response;
  return new Response(normalizeErrorBody(await response.text()), { status, statusText, headers });
}
