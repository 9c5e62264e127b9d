import type { QuestionField, QuestionSchema } from '#contracts';

/** One field of an answer that does not fit: its name, and what it must be ("must be at least 3"). */
export interface AnswerProblem {
  field: string;
  problem: string;
}

export interface Choice {
  value: string;
  title: string;
}

/** Everything in an answer that does not fit its question, by field. The page and the gateway both use this check. */
export function checkAnswer(
  { properties, required = [] }: QuestionSchema,
  content: Record<string, unknown>,
): AnswerProblem[] {
  const unknown = Object.keys(content).filter((name) => !Object.hasOwn(properties, name));
  return [
    ...unknown.map((field) => ({ field, problem: 'is not a field of this question' })),
    ...Object.entries(properties).flatMap(([field, schema]) => {
      const value = Object.hasOwn(content, field) ? content[field] : undefined;
      if (value === undefined) return required.includes(field) ? [{ field, problem: 'is required' }] : [];
      const problem = checkField(schema, value);
      return problem === undefined ? [] : [{ field, problem }];
    }),
  ];
}

/** The choices of a choice field; undefined for any other field. */
export function choicesOf(field: QuestionField): Choice[] | undefined {
  if (field.type === 'array') {
    const { items } = field;
    if ('enum' in items) return items.enum.map((value) => ({ value, title: value }));
    return ('anyOf' in items ? items.anyOf : items.oneOf).map(({ const: value, title }) => ({
      value,
      title,
    }));
  }
  if ('oneOf' in field) return field.oneOf.map(({ const: value, title }) => ({ value, title }));
  if (!('enum' in field)) return undefined;
  return field.enum.map((value, i) => ({ value, title: field.enumNames?.[i] ?? value }));
}

function checkField(field: QuestionField, value: unknown): string | undefined {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'number':
    case 'integer':
      return checkNumber(field, value);
    case 'array':
      return checkChoices(field, value);
    case 'string':
      return 'oneOf' in field || 'enum' in field ? checkChoice(field, value) : checkText(field, value);
  }
}

function checkNumber(field: Extract<QuestionField, { type: 'number' | 'integer' }>, value: unknown) {
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  if (field.type === 'integer' && !(isNumber && Number.isInteger(value))) return 'must be a whole number';
  if (!isNumber) return 'must be a number';
  if (field.minimum !== undefined && value < field.minimum) return `must be at least ${field.minimum}`;
  if (field.maximum !== undefined && value > field.maximum) return `must be at most ${field.maximum}`;
  return undefined;
}

function checkChoice(field: QuestionField, value: unknown): string | undefined {
  const values = choicesOf(field)!.map((choice) => choice.value);
  return typeof value === 'string' && values.includes(value) ? undefined : 'must be one of the choices';
}

function checkChoices(field: Extract<QuestionField, { type: 'array' }>, value: unknown): string | undefined {
  const values = choicesOf(field)!.map((choice) => choice.value);
  if (!Array.isArray(value) || !value.every((item) => values.includes(item as string)))
    return 'must be a list of the choices';
  if (new Set(value).size < value.length) return 'must not repeat a choice';
  const { minItems = 0, maxItems = Infinity } = field;
  if (value.length < minItems) return `must be at least ${minItems} of the choices`;
  return value.length > maxItems ? `must be at most ${maxItems} of the choices` : undefined;
}

type TextField = Exclude<Extract<QuestionField, { type: 'string' }>, { oneOf: unknown } | { enum: unknown }>;

function checkText({ minLength = 0, maxLength = Infinity, format }: TextField, value: unknown) {
  if (typeof value !== 'string') return 'must be text';
  // JSON Schema counts characters, not UTF-16 units.
  const length = Array.from(value).length;
  if (length < minLength) return `must have at least ${minLength} characters`;
  if (length > maxLength) return `must have at most ${maxLength} characters`;
  return format === undefined || isOfFormat[format](value) ? undefined : `must be ${formatWords[format]}`;
}

const formatWords = {
  email: 'an e-mail address',
  uri: 'a web address',
  date: 'a date (2026-01-31)',
  'date-time': 'a date and time (2026-01-31T09:30:00Z)',
} as const;

const isOfFormat: Record<keyof typeof formatWords, (text: string) => boolean> = {
  email: (text) => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/.test(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text),
  date: isDate,
  'date-time': (text) => {
    const [date = '', time = ''] = text.split(/[Tt ]/);
    return isDate(date) && /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(time);
  },
};

/** True for a date that exists: 2026-02-30 does not. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
