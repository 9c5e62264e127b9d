/** The budgets that OpenAI and others report with each answer. */
const BUDGETS = ['requests', 'tokens'];
const PARTS = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;
const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * When the used-up budgets are full again, by `x-ratelimit-reset-*`; considers all budgets if none is reported as used
 * up.
 */
export function readResetMs(headers: Headers | undefined): number | undefined {
  if (!headers) return undefined;
  const known = BUDGETS.map((budget) => ({
    isUsedUp: headers.get(`x-ratelimit-remaining-${budget}`)?.trim() === '0',
    resetMs: parseDurationMs(headers.get(`x-ratelimit-reset-${budget}`)),
  })).filter((budget): budget is { isUsedUp: boolean; resetMs: number } => budget.resetMs !== undefined);
  const usedUp = known.filter(({ isUsedUp }) => isUsedUp);
  const decisive = usedUp.length > 0 ? usedUp : known;
  return decisive.length > 0 ? Math.max(...decisive.map(({ resetMs }) => resetMs)) : undefined;
}

/** `6m0s`, `20ms`, `1h2m3.5s`; undefined for anything else. */
export function parseDurationMs(text: string | null | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(trimmed)) return undefined;
  let ms = 0;
  for (const [, count, unit] of trimmed.matchAll(PARTS)) ms += Number(count) * UNIT_MS[unit!]!;
  return Math.round(ms);
}
