import { isObject } from '#contracts';

/** A server's error in the one form that the SDK reads: `{ error: { … } }`. */
export interface ErrorBody {
  message?: string;
  code?: unknown;
  type?: unknown;
  status?: unknown;
  details?: unknown;
}

/**
 * Normalises an error body: servers wrap it in a list (Gemini), send only a text (Ollama), or leave out the wrapper
 * (vLLM).
 */
export function normalizeErrorBody(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(first)) return text;
  const { error = first } = first;
  if (isObject(error)) return JSON.stringify({ error: { ...error, message: messageOf(error) } });
  return JSON.stringify({ error: { message: String(error) } });
}

function messageOf({ message, detail }: Record<string, unknown>): string {
  const said = message ?? detail ?? '';
  return typeof said === 'string' ? said : JSON.stringify(said);
}

interface Detail {
  retryDelay?: unknown;
  reason?: unknown;
  violations?: { quotaId?: unknown }[];
}

/** Google's `details`, as far as decisions depend on them. */
export function readDetails(error: ErrorBody | undefined) {
  const details: Detail[] = Array.isArray(error?.details)
    ? (error.details as unknown[]).filter(isObject)
    : [];
  const retryDelay = details.map((detail) => detail.retryDelay).find((delay) => typeof delay === 'string');
  const quotas = details.flatMap(({ violations }) => (Array.isArray(violations) ? violations : []));
  return {
    retryDelay,
    isKeyInvalid: details.some(({ reason }) => reason === 'API_KEY_INVALID'),
    isDailyQuota: quotas.some(({ quotaId }) => /PerDay/.test(String(quotaId))),
  };
}
