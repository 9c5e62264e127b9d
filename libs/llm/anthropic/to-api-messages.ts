import type { Anthropic } from '@anthropic-ai/sdk';
import type { Block } from '#contracts';
import type { ImageReference, ModelImage, ModelMessage, UserContent } from '../port/model.port.js';
import { isThinkingOf, nameOfImage } from '../port/request-parts.js';
import { providerSafeName } from '../port/tool-arguments.js';

export interface ApiMessage {
  role: 'user' | 'assistant';
  content: Anthropic.Beta.BetaContentBlockParam[];
}

const CACHE: Anthropic.Beta.BetaCacheControlEphemeral = { type: 'ephemeral' };
/** A request may have four breakpoints; tools and system take two. */
const MESSAGE_BREAKPOINTS = 2;

type Images = ReadonlyMap<string, ModelImage>;

/**
 * `withThinking` false leaves out all reasoning, for a provider that does not take it back. A picture that is missing
 * in `images` is named.
 */
export function toApiMessages(
  messages: ModelMessage[],
  { withThinking = true, images = new Map() }: { withThinking?: boolean; images?: Images } = {},
): ApiMessage[] {
  const converted: ApiMessage[] = [];
  for (const message of messages) {
    const content =
      message.role === 'user'
        ? resultsFirst(message.content).flatMap((item) => toUserBlocks(item, images))
        : message.content.flatMap((block) => toAssistantBlocks(block, withThinking));
    if (content.length === 0) continue;
    const last = converted.at(-1);
    if (last?.role === message.role) last.content.push(...content);
    else converted.push({ role: message.role, content });
  }
  markBreakpoints(converted);
  return converted;
}

/**
 * Marks the end of the last user message, so that the next step reads everything before it from the cache, and the end
 * of the user message before that: a step with many parallel calls is longer than the provider's search for a cache
 * entry.
 */
function markBreakpoints(messages: ApiMessage[]): void {
  const users = messages.filter((message) => message.role === 'user').slice(-MESSAGE_BREAKPOINTS);
  for (const { content } of users) {
    const last = content.at(-1);
    if (last?.type === 'text' || last?.type === 'tool_result') last.cache_control = CACHE;
  }
}

function resultsFirst(content: UserContent[]): UserContent[] {
  const results = content.filter((item) => item.type === 'tool_result');
  return [...results, ...content.filter((item) => item.type !== 'tool_result')];
}

function toUserBlocks(item: UserContent, images: Images): Anthropic.Beta.BetaContentBlockParam[] {
  if (item.type === 'text') return textBlock(item.text);
  const { tool_call_id: tool_use_id, text, is_error } = item;
  const pictures = (item.images ?? []).map((reference) => toPicture(reference, images));
  const content = [...textBlock(text), ...pictures];
  return [
    {
      type: 'tool_result',
      tool_use_id,
      ...(content.length > 0 && { content }),
      ...(is_error && { is_error }),
    },
  ];
}

function toPicture(
  reference: ImageReference,
  images: Images,
): Anthropic.Beta.BetaTextBlockParam | Anthropic.Beta.BetaImageBlockParam {
  const image = images.get(reference.artifact_id);
  if (!image) return { type: 'text', text: nameOfImage(reference) };
  return { type: 'image', source: { type: 'base64', media_type: image.content_type, data: image.data } };
}

function toAssistantBlocks(block: Block, withThinking: boolean): Anthropic.Beta.BetaContentBlockParam[] {
  switch (block.type) {
    case 'text':
      return textBlock(block.text);
    case 'thinking':
      return withThinking && isThinkingOf('anthropic', block) ? thinkingBlock(block) : [];
    case 'tool_use': {
      const name = providerSafeName(block.name);
      return [{ type: 'tool_use', id: block.tool_call_id, name, input: block.arguments }];
    }
  }
}

/** The API refuses unsigned thinking. Signed thinking goes back unchanged, even when its text is empty. */
function thinkingBlock(block: Extract<Block, { type: 'thinking' }>): Anthropic.Beta.BetaContentBlockParam[] {
  if (block.data) return [{ type: 'redacted_thinking', data: block.data }];
  return block.signature ? [{ type: 'thinking', thinking: block.text, signature: block.signature }] : [];
}

function textBlock(text: string): Anthropic.Beta.BetaTextBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}
