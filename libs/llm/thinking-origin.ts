import type { Block } from '#contracts';
import { providerOf } from './model-name.js';

/**
 * Whether a provider made this thinking itself: what another one signed or hid is never sent to it. Blocks without a
 * mark are of the time when only Anthropic made any.
 */
export function isThinkingOf(provider: string, block: Extract<Block, { type: 'thinking' }>): boolean {
  return providerOf(block.model ?? 'anthropic') === provider;
}
