import { limitTime, type Clock } from '#time';
import { accessOf, findProviderProblem, type ModelEnvironment } from './provider-settings.js';
import { PROVIDERS } from './providers/registry.js';
import type { Provider } from './providers/provider.js';

const TIMEOUT_MS = 10_000;

export interface ModelAccess {
  /** The provider's name. */
  provider: string;
  /** `unclear`: it answers, but not to this question; other servers with the same API may know only some of it. */
  state: 'ok' | 'refused' | 'unreachable' | 'unclear';
  /** The address, without a key. */
  host: string;
  /** The HTTP status, or the error's code. */
  reason: string;
}

/** Asks every provider that the settings open for its list of models, which costs no tokens. */
export function checkModelAccess(env: ModelEnvironment, clock: Clock): Promise<ModelAccess[]> {
  const usable = PROVIDERS.filter((provider) => findProviderProblem(provider, env) === undefined);
  return Promise.all(usable.map((provider) => check(provider, env, clock)));
}

async function check(provider: Provider, env: ModelEnvironment, clock: Clock): Promise<ModelAccess> {
  const { apiKey, baseUrl = provider.publicUrl } = accessOf(provider, env);
  const about = { provider: provider.name, host: new URL(baseUrl).host };
  try {
    const answer = await fetch(`${baseUrl}${provider.modelsPath ?? '/models'}`, {
      headers: headersOf(provider, apiKey),
      redirect: 'error',
      signal: limitTime(clock, TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return { ...about, state: stateOf(answer.status), reason: String(answer.status) };
  } catch (error) {
    const { name, cause } = error as { name?: string; cause?: { code?: string } };
    return { ...about, state: 'unreachable', reason: cause?.code ?? name ?? 'unknown error' };
  }
}

function headersOf({ keyHeader }: Provider, apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined) return {};
  return keyHeader === undefined ? { authorization: `Bearer ${apiKey}` } : { ...keyHeader(apiKey) };
}

function stateOf(status: number): ModelAccess['state'] {
  if (status === 401 || status === 403) return 'refused';
  return status >= 200 && status < 300 ? 'ok' : 'unclear';
}
