import type { ModelMessage } from './model-message.js';

/**
 * The messages without the thinking of models from another provider than `model`'s, because such thinking is signed or
 * encrypted for that provider alone. Thinking that names no model stays. No message is changed, and no list is copied
 * without need.
 */
export function withoutForeignThinking(messages: ModelMessage[], model: string): ModelMessage[] {
  const provider = providerOf(model);
  if (!messages.some((message) => hasForeign(message, provider))) return messages;
  return messages.map((message) =>
    message.role === 'assistant' && hasForeign(message, provider)
      ? { role: 'assistant', content: message.content.filter((block) => !isForeign(block, provider)) }
      : message,
  );
}

function hasForeign(message: ModelMessage, provider: string): boolean {
  return message.role === 'assistant' && message.content.some((block) => isForeign(block, provider));
}

function isForeign(block: { type: string; model?: unknown }, provider: string): boolean {
  return block.type === 'thinking' && typeof block.model === 'string' && providerOf(block.model) !== provider;
}

function providerOf(model: string): string {
  return model.split('/')[0]!;
}
