import type { OpenAI } from 'openai';
import type { Block } from '#contracts';
import type { ImageReference, ModelImage, ModelMessage, UserContent } from '../port/model.port.js';
import { isThinkingOf, nameOfImage } from '../port/request-parts.js';
import { providerSafeName } from '../port/tool-arguments.js';
import type { ChatProvider } from './chat-provider.js';
import { REASONING_FIELDS } from './chunk-reader.js';

type ChatMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type AssistantMessage = OpenAI.Chat.Completions.ChatCompletionAssistantMessageParam;
type ToolCall = OpenAI.Chat.Completions.ChatCompletionMessageFunctionToolCall & {
  extra_content?: { google: { thought_signature: string } };
};
type ContentPart = OpenAI.Chat.Completions.ChatCompletionContentPart;
type Images = ReadonlyMap<string, ModelImage>;

export interface MessageOptions {
  provider: ChatProvider;
  /** The first call of each step needs a signature; see `UNSIGNED`. */
  signedCalls: boolean;
  images: Images;
}

/** The signature that Gemini accepts for calls that it has not made itself. */
const UNSIGNED = 'skip_thought_signature_validator';

/** The history after the system prompt. Results are separate messages; their pictures follow in a user message. */
export function toChatMessages(messages: readonly ModelMessage[], options: MessageOptions): ChatMessage[] {
  return messages.flatMap((message) =>
    message.role === 'user'
      ? toUserMessages(message.content, options.images)
      : toAssistantMessage(message.content, options),
  );
}

function toUserMessages(content: UserContent[], images: Images): ChatMessage[] {
  const results = content.filter((item) => item.type === 'tool_result');
  const texts = content.flatMap((item) =>
    item.type === 'text' && item.text.trim() !== '' ? [item.text] : [],
  );
  const pictures = results.flatMap((result) => picturesOf(result, images));
  const said: ChatMessage[] = [];
  if (pictures.length > 0) {
    said.push({ role: 'user', content: [...pictures, ...texts.map((text) => textPart(text))] });
  } else if (texts.length > 0) {
    said.push({ role: 'user', content: texts.join('\n\n') });
  }
  return [...results.map((result) => toToolMessage(result, images)), ...said];
}

type ToolResult = Extract<UserContent, { type: 'tool_result' }>;

function toToolMessage({ tool_call_id, text, images: shown = [] }: ToolResult, images: Images): ChatMessage {
  const names = shown.map((reference) =>
    images.has(reference.artifact_id)
      ? `[picture ${reference.artifact_id}: see below]`
      : nameOfImage(reference),
  );
  const content = [text, ...names].filter((part) => part.trim() !== '').join('\n');
  return { role: 'tool', tool_call_id, content: content || '(empty)' };
}

/** Results cannot contain pictures here, so each picture follows them under the name that its result gives it. */
function picturesOf({ images: shown = [] }: ToolResult, images: Images): ContentPart[] {
  return shown.flatMap(({ artifact_id }: ImageReference) => {
    const image = images.get(artifact_id);
    if (!image) return [];
    const url = `data:${image.content_type};base64,${image.data}`;
    return [textPart(`[picture ${artifact_id}]`), { type: 'image_url' as const, image_url: { url } }];
  });
}

function textPart(text: string): ContentPart {
  return { type: 'text', text };
}

function toAssistantMessage(blocks: Block[], options: MessageOptions): ChatMessage[] {
  const text = blocks
    .flatMap((block) => (block.type === 'text' && block.text.trim() !== '' ? [block.text] : []))
    .join('\n\n');
  const calls = toToolCalls(blocks, options);
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }];
  const message: AssistantMessage = {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: calls,
  };
  return [{ ...message, ...reasoningOf(blocks, options.provider) }];
}

function toToolCalls(blocks: Block[], { provider, signedCalls }: MessageOptions): ToolCall[] {
  const calls: ToolCall[] = [];
  let signature: string | undefined;
  for (const block of blocks) {
    if (block.type === 'thinking' && isThinkingOf(provider.name, block)) signature = block.signature;
    if (block.type !== 'tool_use') continue;
    const { tool_call_id: id, name, arguments: args } = block;
    const call: ToolCall = {
      id,
      type: 'function',
      function: { name: providerSafeName(name), arguments: JSON.stringify(args) },
    };
    // Only the first of parallel calls is signed.
    if (signedCalls && calls.length === 0) signature ??= UNSIGNED;
    if (signedCalls && signature) call.extra_content = { google: { thought_signature: signature } };
    signature = undefined;
    calls.push(call);
  }
  return calls;
}

/** Servers that show their reasoning want it back next to the calls that followed from it, in the same field. */
function reasoningOf(blocks: Block[], { name }: ChatProvider): Record<string, string> {
  const field = REASONING_FIELDS.find((candidate) => blocks.some((block) => isIn(block, candidate)));
  if (!field) return {};
  const texts = blocks.flatMap((block) =>
    isIn(block, field) && block.type === 'thinking' ? [block.text] : [],
  );
  return { [field]: texts.join('') };

  function isIn(block: Block, candidate: string): boolean {
    return block.type === 'thinking' && block.data === candidate && isThinkingOf(name, block);
  }
}
