import type { OpenAI } from 'openai';
import { listedTools } from '../port/request-parts.js';
import { withoutProvider } from '../port/model-name.js';
import type { ModelRequest } from '../port/model.port.js';
import { toProviderTool } from '../schemas/provider-tool.js';
import { wrapSummary } from '../port/summary.js';
import type { ChatProvider } from './chat-provider.js';
import { toChatMessages } from './to-chat-messages.js';

/** With Gemini's additional parameters. */
export type ChatParams = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming & {
  extra_body?: { google: { thinking_config: { include_thoughts: true } } };
};

/** The request body. `withImages` false names every picture, for a model that accepts none. */
export function toChatRequest(
  request: ModelRequest,
  provider: ChatProvider,
  { withImages = true } = {},
): ChatParams {
  const model = withoutProvider(request.model);
  const features = provider.features(model);
  const { signedCalls } = features;
  const images = withImages ? (request.images ?? new Map<string, never>()) : new Map<string, never>();
  const history = toChatMessages(request.messages, { provider, signedCalls, images });
  const params: ChatParams = {
    model,
    messages: [...toSystem(request), ...history],
    stream: true,
    stream_options: { include_usage: true },
    [features.outputLimit]: Math.min(request.max_output_tokens, features.maxOutputTokens),
  };
  const tools = listedTools(request);
  if (tools.length > 0) params.tools = tools.map((tool) => toChatTool(tool, provider));
  if (tools.length > 0 && features.reasonsWithoutTools) params.reasoning_effort = 'none';
  else if (request.reasoning === 'least' && features.leastEffort)
    params.reasoning_effort = features.leastEffort;
  if (request.tool_choice && features.forcedTools) {
    params.tool_choice = { type: 'function', function: { name: request.tool_choice.name } };
  }
  if (request.temperature !== undefined && features.temperature) params.temperature = request.temperature;
  if (features.thoughts) params.extra_body = { google: { thinking_config: { include_thoughts: true } } };
  return params;
}

/** Uses one message, because not every server accepts two. */
function toSystem({
  system,
  summary,
}: ModelRequest): OpenAI.Chat.Completions.ChatCompletionSystemMessageParam[] {
  const told = summary === undefined ? '' : wrapSummary(summary);
  const content = [system, told].filter((text) => text.trim() !== '').join('\n\n');
  return content === '' ? [] : [{ role: 'system', content }];
}

function toChatTool(
  tool: ModelRequest['tools'][number],
  provider: ChatProvider,
): OpenAI.Chat.Completions.ChatCompletionFunctionTool {
  const { name, description, input_schema } = toProviderTool(tool, provider).tool;
  return { type: 'function', function: { name, description, parameters: input_schema } };
}
