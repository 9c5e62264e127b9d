/** How long the provider asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. */
export function readRequestedWaitMs(headers: Headers | undefined, nowMs: number): number | undefined {
  const exactMs = toNumber(headers?.get('retry-after-ms'));
  if (exactMs !== undefined) return exactMs;
  const header = headers?.get('retry-after');
  const seconds = toNumber(header);
  if (seconds !== undefined) return Math.round(seconds * 1_000);
  const dateMs = header ? Date.parse(header) : NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

function toNumber(text: string | null | undefined): number | undefined {
  return text && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
