import type { Usage } from '#contracts';
import type { Metrics } from '#observability';
import type { OrchestratorSettings } from '../deps/orchestrator.deps.js';
import type { SentRequest } from './step-part.js';

/** Counts a request that reached a provider, whatever its result. */
export function countRequest(
  metrics: Pick<Metrics, 'modelCalls' | 'modelTokens' | 'modelFirstToken'>,
  provider: string,
  { input_tokens, output_tokens, cached_tokens }: Usage,
  { outcome, firstPartMs }: SentRequest,
): void {
  metrics.modelCalls.inc({ provider, outcome });
  if (firstPartMs !== undefined) metrics.modelFirstToken.observe({ provider }, firstPartMs / 1_000);
  metrics.modelTokens.inc({ provider, kind: 'input' }, input_tokens);
  metrics.modelTokens.inc({ provider, kind: 'output' }, output_tokens);
  metrics.modelTokens.inc({ provider, kind: 'cached' }, cached_tokens);
}

/** The provider as a metric label. A name that only a client knows becomes `other`. */
export function providerLabel(
  model: string,
  settings: Pick<OrchestratorSettings, 'model' | 'providers'>,
): string {
  const name = providerOf(model);
  const configured = settings.providers.map(({ provider }) => provider);
  return [providerOf(settings.model), ...configured].includes(name) ? name : 'other';
}

function providerOf(model: string): string {
  return model.split('/')[0]!;
}
