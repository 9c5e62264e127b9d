import type { ModelTool } from '../model.port.js';
import { toAnthropicSchema } from './anthropic-schema.js';
import type { Converted } from './flatten-top.js';
import { toGeminiSchema } from './gemini-schema.js';
import type { JsonSchema, SchemaLoss } from './json-schema.js';
import { toOllamaSchema } from './ollama-schema.js';
import { toOpenAiSchema } from './openai-schema.js';

const CONVERTERS: Record<string, (schema: JsonSchema) => Converted> = {
  anthropic: toAnthropicSchema,
  openai: toOpenAiSchema,
  gemini: toGeminiSchema,
  ollama: toOllamaSchema,
};
/** Of a function's description at OpenAI; that of its schema has no limit. */
const MAX_DESCRIPTION_LENGTH = 1_024;

export interface ProviderTool {
  tool: ModelTool;
  losses: readonly SchemaLoss[];
}

/** Requests name the same schemas over and over. */
const converted = new WeakMap<JsonSchema, Map<string, Converted>>();

/** A tool as a provider takes it. What its schema cannot say there stands in the descriptions, and in `losses`. */
export function toProviderTool(tool: ModelTool, provider: string): ProviderTool {
  const { schema, losses } = convert(tool.input_schema, provider);
  const { name, description } = tool;
  if (provider !== 'openai' || description.length <= MAX_DESCRIPTION_LENGTH)
    return { tool: { name, description, input_schema: schema }, losses };
  const [head, rest] = splitText(description, MAX_DESCRIPTION_LENGTH - 1);
  const whole = [rest, schema.description].filter((part) => typeof part === 'string').join('\n');
  return {
    tool: { name, description: `${head}…`, input_schema: { ...schema, description: whole } },
    losses,
  };
}

/** Never between the halves of a character. */
function splitText(text: string, at: number): [string, string] {
  const isPair = /[\ud800-\udbff]/.test(text.charAt(at - 1));
  const end = isPair ? at - 1 : at;
  return [text.slice(0, end), text.slice(end)];
}

/** What an operator should know: keywords of the tool's schema that a provider's form of it cannot say. */
export function describeSchemaLosses(tool: ModelTool, provider: string): readonly SchemaLoss[] {
  return convert(tool.input_schema, provider).losses;
}

function convert(schema: JsonSchema, provider: string): Converted {
  const known = converted.get(schema) ?? new Map<string, Converted>();
  converted.set(schema, known);
  const fresh = known.get(provider) ?? CONVERTERS[provider]?.(schema) ?? { schema, losses: [] };
  known.set(provider, fresh);
  return fresh;
}
