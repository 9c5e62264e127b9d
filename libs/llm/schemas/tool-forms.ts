import { toAnthropicSchema } from './anthropic-schema.js';
import { toGeminiSchema } from './gemini-schema.js';
import { toOllamaSchema } from './ollama-schema.js';
import { toOpenAiSchema } from './openai-schema.js';
import type { ToolForm } from './provider-tool.js';

/**
 * How each provider takes tools: the part of its record that needs no SDK, for programs that only check tools. The
 * registry's spec compares both.
 */
export const TOOL_FORMS = {
  anthropic: { toSchema: toAnthropicSchema },
  openai: { toSchema: toOpenAiSchema, maxDescriptionLength: 1_024 },
  gemini: { toSchema: toGeminiSchema },
  ollama: { toSchema: toOllamaSchema },
} as const satisfies Record<string, ToolForm>;
