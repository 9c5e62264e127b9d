import type { Block } from '#contracts';
import { providerOf } from './model-name.js';

/**
 * Whether a provider produced this thinking itself: thinking that another provider signed or hid is never sent to it.
 * Blocks without a mark are from the time when only Anthropic produced any.
 */
export function isThinkingOf(provider: string, block: Extract<Block, { type: 'thinking' }>): boolean {
  return providerOf(block.model ?? 'anthropic') === provider;
}
