/**
 * The wait of a `Retry-After` header, in milliseconds from `wallMs`: seconds, or a date. Undefined if it is neither.
 */
export function parseRetryAfterMs(header: string | null | undefined, wallMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (value === '') return undefined;
  const ms = /^\d{1,9}(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - wallMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, Math.round(ms));
}
