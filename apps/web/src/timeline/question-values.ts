import type { QuestionField, QuestionSchema } from '#contracts';

/** The entered values, in the form of the question's schema. Empty fields are left out. */
export function readAnswer({ properties }: QuestionSchema, form: FormData): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    const value = readField(field, form.getAll(name).map(String));
    if (value !== undefined) content[name] = value;
  }
  return content;
}

function readField(field: QuestionField, entered: string[]): unknown {
  if (field.type === 'boolean') return entered.length > 0;
  if (field.type === 'array') return entered.length > 0 ? entered : undefined;
  const [text = ''] = entered;
  if (text === '') return undefined;
  if (field.type === 'number' || field.type === 'integer') return Number(text);
  return 'format' in field && field.format === 'date-time' ? toIsoTime(text) : text;
}

/** An input field has local time; the sent value names the same moment everywhere. */
function toIsoTime(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
}

/** A moment in the format of an input field; empty for anything else. */
export function toLocalTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
