import type { ModelMessage } from './model-message.js';

/**
 * Providers' tokenizers put 3 to 5 characters of English or JSON into a token; for other scripts often not even one.
 */
const ASCII_PER_TOKEN = 3;
const TOKENS_OF_PICTURE = 1_600;
/** The tokens of a message's or a block's own frame. */
const FRAME_TOKENS = 6;

/** Estimates a request's tokens, rather too many than too few, without asking a provider. */
export function estimateTokens(request: {
  system: string;
  summary?: string;
  messages: readonly ModelMessage[];
  tools: readonly unknown[];
}): number {
  const { system, summary = '', messages, tools } = request;
  return (
    tokensOfText(system) +
    tokensOfText(summary) +
    tokensOfText(JSON.stringify(tools)) +
    tokensOfMessages(messages)
  );
}

export function tokensOfMessages(messages: readonly ModelMessage[]): number {
  let tokens = 0;
  for (const { content } of messages) {
    tokens += FRAME_TOKENS;
    for (const item of content) {
      const pictures = item.type === 'tool_result' ? (item.images?.length ?? 0) : 0;
      tokens += FRAME_TOKENS + tokensOfText(textOfItem(item)) + pictures * TOKENS_OF_PICTURE;
    }
  }
  return tokens;
}

export function tokensOfText(text: string): number {
  let others = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) others++;
  return Math.ceil((text.length - others) / ASCII_PER_TOKEN) + others;
}

type Item = ModelMessage['content'][number];

function textOfItem(item: Item): string {
  switch (item.type) {
    case 'text':
    case 'tool_result':
      return item.text;
    case 'tool_use':
      return item.name + JSON.stringify(item.arguments);
    case 'thinking':
      return item.text + (item.signature ?? '') + (item.data ?? '');
  }
}
