type Schema = Record<string, unknown>;

/** Optional properties that are there for a text. */
const ROOM_FOR_TEXT = /^(answer|content|message|text)$/;
const MAX_DEPTH = 8;

/** Arguments that fit most schemas: what is required, and `text` where a string may stand. */
export function fillSchema(schema: Schema, text: string): Record<string, unknown> {
  const value = fill({ type: 'object', ...schema }, text, 0);
  return isSchema(value) ? value : {};
}

function fill(schema: Schema, text: string, depth: number): unknown {
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ('default' in schema) return schema.default;
  const [option] = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
  if (isSchema(option) && schema.type === undefined) return fill(option, text, depth);
  switch (typeOf(schema)) {
    case 'object':
      return fillObject(schema, text, depth);
    case 'array':
      return isSchema(schema.items) && depth < MAX_DEPTH ? [fill(schema.items, text, depth + 1)] : [];
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 0;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return text;
  }
}

function fillObject(schema: Schema, text: string, depth: number): Schema {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const isWanted = ([name, property]: [string, unknown]) =>
    required.includes(name) ||
    (ROOM_FOR_TEXT.test(name) && isSchema(property) && typeOf(property) === 'string');
  if (depth >= MAX_DEPTH) return {};
  return Object.fromEntries(
    Object.entries(properties)
      .filter(isWanted)
      .map(([name, property]) => [name, fill(isSchema(property) ? property : {}, text, depth + 1)]),
  );
}

function typeOf({ type, properties }: Schema): unknown {
  if (Array.isArray(type)) return type[0];
  return type ?? (isSchema(properties) ? 'object' : 'string');
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
