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
    const state = stateOf(answer.status);
    if (state !== 'ok') await answer.body?.cancel();
    else if (!(await isModelList(answer)))
      return { ...about, state: 'unclear', reason: `${answer.status}, and something else` };
    return { ...about, state, reason: String(answer.status) };
  } catch (error) {
    const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } };
    const reason = cause?.code ?? cause?.message ?? name ?? 'unknown error';
    return { ...about, state: 'unreachable', reason };
  }
}

function headersOf({ keyHeader }: Provider, apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined) return {};
  return keyHeader === undefined ? { authorization: `Bearer ${apiKey}` } : { ...keyHeader(apiKey) };
}

/** Every provider answers `{ data: [...] }`, or `{ models: [...] }`. */
async function isModelList(answer: Response): Promise<boolean> {
  const body: unknown = await answer.json().catch(() => undefined);
  const { data, models } = (body ?? {}) as { data?: unknown; models?: unknown };
  return Array.isArray(data) || Array.isArray(models);
}

function stateOf(status: number): ModelAccess['state'] {
  if (status === 401 || status === 403) return 'refused';
  return status >= 200 && status < 300 ? 'ok' : 'unclear';
}
