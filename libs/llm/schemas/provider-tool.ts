import type { ModelTool } from '../port/model.port.js';
import type { Converted } from './flatten-top.js';
import type { JsonSchema, SchemaLoss } from './json-schema.js';

/** How a provider takes tools. */
export interface ToolForm {
  toSchema(schema: JsonSchema): Converted;
  /** The limit on a tool's description; the descriptions in its schema have none. */
  maxDescriptionLength?: number;
}

export interface ProviderTool {
  tool: ModelTool;
  losses: readonly SchemaLoss[];
}

/** Requests repeat the same schemas. */
const converted = new WeakMap<JsonSchema, Map<ToolForm['toSchema'], Converted>>();

/** A tool in the provider's form. The descriptions and `losses` contain what its schema cannot express there. */
export function toProviderTool(tool: ModelTool, form: ToolForm): ProviderTool {
  const { schema, losses } = convert(tool.input_schema, form);
  const { maxDescriptionLength = Infinity } = form;
  const { name, description } = tool;
  if (description.length <= maxDescriptionLength)
    return { tool: { name, description, input_schema: schema }, losses };
  const [head, rest] = splitText(description, maxDescriptionLength - 1);
  const whole = [rest, schema.description].filter((part) => typeof part === 'string').join('\n');
  return {
    tool: { name, description: `${head}…`, input_schema: { ...schema, description: whole } },
    losses,
  };
}

/** Never splits between the halves of a character. */
function splitText(text: string, at: number): [string, string] {
  const isPair = /[\ud800-\udbff]/.test(text.charAt(at - 1));
  const end = isPair ? at - 1 : at;
  return [text.slice(0, end), text.slice(end)];
}

function convert(schema: JsonSchema, { toSchema }: ToolForm): Converted {
  const known = converted.get(schema) ?? new Map<ToolForm['toSchema'], Converted>();
  converted.set(schema, known);
  const fresh = known.get(toSchema) ?? toSchema(schema);
  known.set(toSchema, fresh);
  return fresh;
}
