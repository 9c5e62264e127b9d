import type { Block } from '#contracts';
import type { ImageReference, ModelRequest, ModelTool } from './model.port.js';
import { providerOf } from './model-name.js';

/** The tools of a request as its body lists them. */
export function listedTools({
  tools,
  answer_tool,
}: Pick<ModelRequest, 'tools' | 'answer_tool'>): ModelTool[] {
  return answer_tool ? [...tools, answer_tool] : tools;
}

/** The text in place of a picture that the request does not show. */
export function nameOfImage({ artifact_id, content_type }: ImageReference): string {
  return `[${content_type}, artifact ${artifact_id}, is not shown here]`;
}

/**
 * Whether a provider produced this thinking itself: thinking that another provider signed or hid is never sent to it.
 * Blocks without a mark are from the time when only Anthropic produced any.
 */
export function isThinkingOf(provider: string, block: Extract<Block, { type: 'thinking' }>): boolean {
  return providerOf(block.model ?? 'anthropic') === provider;
}
