import type { Usage } from '#contracts';
import { ModelError, type ModelRequest } from '#llm';
import { startSpan, type Span } from '#tracing';
import type { AskEnd, SentRequest } from './step-part.js';

/** The conventions' names of providers that differ from ours. */
const PROVIDER_NAMES: Record<string, string> = { gemini: 'gcp.gemini' };

/**
 * One request to a provider, by the conventions for generative AI of OpenTelemetry, without contents:
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
export class ChatSpan {
  private readonly span: Span;

  constructor(
    request: ModelRequest,
    { parent, place }: { parent: string | undefined; place: Record<string, string> },
  ) {
    const [provider = '', ...rest] = request.model.split('/');
    const model = rest.length > 0 ? rest.join('/') : request.model;
    this.span = startSpan(`chat ${model}`, {
      kind: 'client',
      parent,
      attributes: {
        ...place,
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': PROVIDER_NAMES[provider] ?? provider,
        'gen_ai.request.model': model,
        'gen_ai.request.max_tokens': request.max_output_tokens,
        'gen_ai.request.temperature': request.temperature,
      },
    });
  }

  end(
    end: AskEnd | { ended: 'failed'; error: unknown },
    { outcome, firstPartMs }: SentRequest,
    usage: Usage | undefined,
  ): void {
    this.span.set({
      'gen_ai.usage.input_tokens': usage?.input_tokens,
      'gen_ai.usage.output_tokens': usage?.output_tokens,
      'gen_ai.usage.cache_read.input_tokens': usage?.cached_tokens,
      'switchyard.first_part_ms': firstPartMs,
    });
    if (end.ended === 'answered') this.span.set({ 'gen_ai.response.finish_reasons': [end.stopReason] });
    else this.span.fail(outcome);
    const status = end.ended === 'failed' && end.error instanceof ModelError && end.error.options.status;
    if (status) this.span.set({ 'http.response.status_code': status });
    this.span.end();
  }
}
