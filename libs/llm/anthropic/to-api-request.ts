import type { Anthropic } from '@anthropic-ai/sdk';
import type { ModelRequest, ModelTool } from '../port/model.port.js';
import { listedTools } from '../port/request-parts.js';
import { toAnthropicSchema } from '../schemas/anthropic-schema.js';
import { toProviderTool } from '../schemas/provider-tool.js';
import { wrapSummary } from '../port/summary.js';
import { featuresOf } from './model-features.js';
import { toApiMessages } from './to-api-messages.js';

type ApiParams = Anthropic.Beta.MessageCreateParamsStreaming & { temperature?: number };

const BOUND_THINKING_BETA = 'thinking-binding-controls-2026-08-01';

/**
 * The request body. Tools, system prompt and history end in cache breakpoints, so that each step pays the full price
 * only for new content.
 */
export function toApiRequest(request: ModelRequest, model: string, { withThinking = true } = {}): ApiParams {
  const features = featuresOf(model);
  // A model that thinks cannot be forced.
  const isForced = request.tool_choice !== undefined && features.forcedTools;
  const params: ApiParams = {
    model,
    max_tokens: request.max_output_tokens,
    messages: toApiMessages(request.messages, {
      withThinking: withThinking && !isForced,
      images: request.images,
    }),
    stream: true,
  };
  const tools = listedTools(request);
  if (tools.length > 0) params.tools = toApiTools(tools);
  const system = toApiSystem(request);
  if (system.length > 0) params.system = system;
  if (isForced) params.tool_choice = { type: 'tool', name: request.tool_choice!.name };
  if (features.thinking) {
    // A model that cannot be forced cannot be kept from thinking either.
    const isQuiet = isForced || (request.reasoning === 'least' && features.forcedTools);
    params.thinking = isQuiet ? { type: 'disabled' } : { type: 'adaptive', display: 'summarized' };
  }
  if (params.thinking?.type === 'adaptive' && features.boundThinking) {
    // Tools and model may differ from turn to turn; without this, an old block would fail every request.
    params.thinking.block_binding = { prefix_mismatch_behavior: 'drop_block' };
    params.betas = [BOUND_THINKING_BETA];
  }
  if (request.temperature !== undefined && features.temperature) {
    params.temperature = Math.min(request.temperature, 1);
  }
  return params;
}

/** Uses two blocks, so that the system prompt stays in the cache when a summary is added. */
function toApiSystem({ system, summary }: ModelRequest): Anthropic.Beta.BetaTextBlockParam[] {
  const texts = [system, ...(summary === undefined ? [] : [wrapSummary(summary)])];
  const blocks = texts
    .filter((text) => text.trim() !== '')
    .map((text): Anthropic.Beta.BetaTextBlockParam => ({ type: 'text', text }));
  const last = blocks.at(-1);
  if (last) last.cache_control = { type: 'ephemeral' };
  return blocks;
}

function toApiTools(tools: ModelTool[]): Anthropic.Beta.BetaTool[] {
  const converted = tools.map((tool): Anthropic.Beta.BetaTool => {
    const { name, description, input_schema } = toProviderTool(tool, { toSchema: toAnthropicSchema }).tool;
    return { name, description, input_schema: { ...input_schema, type: 'object' } };
  });
  converted.at(-1)!.cache_control = { type: 'ephemeral' };
  return converted;
}
