import { firstRefusal, refuse, type ChatRefusal } from './chat-refusal.js';
import { isObject, type Json } from './messages-refusal.js';

/** Keywords of the published `Schema` message. */
const SCHEMA_KEYWORDS = [
  ...[
    'type',
    'format',
    'title',
    'description',
    'nullable',
    'enum',
    'maxItems',
    'minItems',
    'properties',
    'required',
  ],
  ...[
    'minProperties',
    'maxProperties',
    'minLength',
    'maxLength',
    'pattern',
    'example',
    'anyOf',
    'propertyOrdering',
  ],
  ...['default', 'items', 'minimum', 'maximum'],
];
const STRING_FORMATS = ['enum', 'date-time'];
/** From Gemini 3 on calls of the running turn are checked. */
const SIGNED = /^gemini-([3-9]|\d\d)/;

/** What the endpoint refuses besides the rules of Chat Completions. */
export function checkGeminiRequest(body: Json): ChatRefusal | undefined {
  const tools = (body.tools ?? []) as Json[];
  const schemaRefusal = firstRefusal(tools, (tool, index) =>
    checkSchema((tool.function as Json).parameters, `tools[0].function_declarations[${index}].parameters`),
  );
  if (schemaRefusal) return schemaRefusal;
  if ('reasoning_effort' in body && 'extra_body' in body)
    return refuse('Reasoning effort and thinking config cannot be set at the same time.');
  return SIGNED.test(String(body.model)) ? checkSignatures(body.messages as Json[]) : undefined;
}

function checkSchema(schema: unknown, path: string): ChatRefusal | undefined {
  if (schema === undefined) return undefined;
  if (!isObject(schema)) return refuse(`Invalid value at '${path}' (type.googleapis.com/Schema)`);
  const { anyOf = [], items, properties = {} } = schema;
  return (
    checkKeywords(schema, path) ??
    checkValues(schema, path) ??
    firstRefusal(Object.entries(properties as Json), ([name, property]) =>
      checkSchema(property, `${path}.properties[${name}]`),
    ) ??
    firstRefusal(anyOf as unknown[], (form, index) => checkSchema(form, `${path}.any_of[${index}]`)) ??
    checkSchema(items, `${path}.items`)
  );
}

function checkKeywords(schema: Json, path: string): ChatRefusal | undefined {
  const unknown = Object.keys(schema).find((key) => !SCHEMA_KEYWORDS.includes(key));
  if (unknown !== undefined)
    return refuse(
      `Invalid JSON payload received. Unknown name "${unknown}" at '${path}': Cannot find field.`,
    );
  const { type, anyOf, items } = schema;
  if (Array.isArray(type)) return refuse(`${path}.type: Proto field is not repeating, cannot start list.`);
  if (type === undefined && !Array.isArray(anyOf)) return refuse(`${path}.type: must be specified.`);
  if (type !== undefined && anyOf !== undefined)
    return refuse(`${path}.any_of: when using any_of, it must be the only fields set.`);
  return type === 'array' && !isObject(items) ? refuse(`${path}.items: missing field.`) : undefined;
}

function checkValues(schema: Json, path: string): ChatRefusal | undefined {
  const { type, format, properties = {}, required = [], enum: values = [] } = schema;
  const listed = values as unknown[];
  if (listed.length > 0 && type !== 'string') return refuse(`${path}.enum: only allowed for STRING type`);
  if (listed.includes('')) return refuse(`${path}.enum[${listed.indexOf('')}]: cannot be empty`);
  if (type === 'string' && format !== undefined && !STRING_FORMATS.includes(String(format)))
    return refuse(`${path}.format: only 'enum' and 'date-time' are supported for STRING type`);
  const names = required as string[];
  const undeclared = names.findIndex((name) => !Object.hasOwn(properties as Json, name));
  return undeclared >= 0 ? refuse(`${path}.required[${undeclared}]: property is not defined`) : undefined;
}

/** The first call of each step since the user spoke must carry its signature. */
function checkSignatures(messages: Json[]): ChatRefusal | undefined {
  const start = messages.findLastIndex(({ role, content }) => role === 'user' && typeof content === 'string');
  return firstRefusal(messages.slice(start + 1), ({ tool_calls: calls }) => {
    const [first] = (calls ?? []) as Json[];
    if (!first) return undefined;
    const { google } = (first.extra_content ?? {}) as { google?: { thought_signature?: string } };
    return google?.thought_signature
      ? undefined
      : refuse(
          `Function call is missing a thought_signature in functionCall parts. Function call \`${String((first.function as Json).name)}\`.`,
        );
  });
}
