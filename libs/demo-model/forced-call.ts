import type { ModelRequest } from '#llm';
import { textsOf } from './conversation.js';
import type { ToolUse } from './planned-calls.js';

type Schema = Record<string, unknown>;

/** Optional properties that are filled because they hold text for the user. */
const FOR_TEXT = /^(answer|content|message|text)$/;
const MAX_DEPTH = 8;

/** The call that the request forces. It contains the last text if the schema has room for one. */
export function forcedCall({ tool_choice, tools, messages }: ModelRequest): ToolUse | undefined {
  const tool = tools.find(({ name }) => name === tool_choice?.name);
  if (!tool) return undefined;
  const said = textsOf('assistant', messages).at(-1) ?? textsOf('user', messages).at(-1) ?? '';
  return { name: tool.name, arguments: fillObject(tool.input_schema, said, 0) };
}

function fillObject({ properties, required }: Schema, text: string, depth: number): Schema {
  if (!isSchema(properties) || depth >= MAX_DEPTH) return {};
  const wanted = Object.entries(properties).filter(
    ([name]) => FOR_TEXT.test(name) || (Array.isArray(required) && required.includes(name)),
  );
  return Object.fromEntries(wanted.map(([name, property]) => [name, fill(property, text, depth + 1)]));
}

function fill(schema: unknown, text: string, depth: number): unknown {
  if (!isSchema(schema)) return text;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return fillObject(schema, text, depth);
    case 'array':
      return depth < MAX_DEPTH ? [fill(schema.items, text, depth + 1)] : [];
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    default:
      return text;
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
