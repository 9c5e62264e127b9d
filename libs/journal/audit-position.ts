const RECORD_ID = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z-./;
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Where in the audit trail to read from, which is ordered by the ids of its records: an id itself, or a date or time
 * of ISO 8601, in UTC unless it has an offset. Undefined for anything else.
 */
export function toAuditPosition(text: string): string | undefined {
  if (RECORD_ID.test(text)) return text;
  const [, date, time = '00:00', offset = 'Z'] = TIME.exec(text.trim()) ?? [];
  const [day, at] = [new Date(`${date}T00:00:00Z`), new Date(`${date}T${time}${offset}`)];
  if (Number.isNaN(day.getTime()) || Number.isNaN(at.getTime())) return undefined;
  // 30 February is no day, and not 2 March.
  return day.toISOString().startsWith(`${date}T`) ? at.toISOString() : undefined;
}
